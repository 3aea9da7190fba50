import type { Dictionary } from '../../dictionary.ts';

export const compaction = {
  nothingToDrop: '占用空间的是提示、任务和最新的消息，这些都要保留',
  noHelp: '连续三次摘要都没有效果',
  noSummary: '模型没有给出摘要',
  stillTooLong: '即使生成摘要后，请求对该模型来说仍然过长',
  runOpen: '有一次运行尚未结束',
  nobody: '没有中间件负责压缩',
} satisfies Dictionary['compaction'];
