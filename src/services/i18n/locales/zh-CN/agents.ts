import type { Dictionary } from '../../dictionary.ts';

export const agents = {
  tooLarge: '文件太大',
  unclosed: '文件头没有结束：缺少一行 `---`',
  noKey: '不是 `key: value`：{value}',
  noName: '“{value}”不是有效的名称：只能用字母、数字、“-”和“_”',
  noDescription: '缺少 `description`',
  noPrompt: '文件头之后没有提示词',
  noNumber: 'maxTurns：“{value}”不是大于等于 1 的整数',
} satisfies Dictionary['agents'];
