import type { Dictionary } from '../../dictionary.ts';

export const commands = {
  help: '列出所有可用指令',
  model: '檢視或更換模型',
  modelCurrent: '模型：{model}',
  modelChoose: '選擇模型（目前為 {model}）',
  modelChanged: '已切換到：{model}',
  sessions: '繼續另一個工作階段',
  sessionsChoose: '選擇工作階段',
  sessionsNone: '沒有其他工作階段。',
  cost: '顯示這個工作階段的 token 用量與費用',
  costText: '輸入 {input:#}，讀快取 {cacheRead:#}，寫快取 {cacheWrite:#}，輸出 {output:#} token。費用：{cost} USD',
  compact: '以摘要縮短本工作階段的歷史',
  compacted: '歷史現有 {after:#} 則訊息，先前為 {before:#} 則。',
  clear: '開新的工作階段',
  quit: '離開',
} satisfies Dictionary['commands'];
