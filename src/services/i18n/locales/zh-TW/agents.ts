import type { Dictionary } from '../../dictionary.ts';

export const agents = {
  tooLarge: '檔案太大',
  unclosed: '檔頭沒有結束：缺少一行 `---`',
  noKey: '不是 `key: value`：{value}',
  noName: '「{value}」不是有效的名稱：只能用字母、數字、「-」和「_」',
  noDescription: '缺少 `description`',
  noPrompt: '檔頭之後沒有提示詞',
  noNumber: 'maxTurns：「{value}」不是大於等於 1 的整數',
} satisfies Dictionary['agents'];
