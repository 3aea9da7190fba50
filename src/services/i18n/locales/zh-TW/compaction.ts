import type { Dictionary } from '../../dictionary.ts';

export const compaction = {
  nothingToDrop: '佔用空間的是提示、任務和最新的訊息，這些都要保留',
  noHelp: '連續三次摘要都沒有效果',
  noSummary: '模型沒有給出摘要',
  stillTooLong: '即使產生摘要後，請求對該模型來說仍然過長',
  runOpen: '有一次執行尚未結束',
  nobody: '沒有中介軟體負責壓縮',
} satisfies Dictionary['compaction'];
