import type { Dictionary } from '../../dictionary.ts';

export const config = {
  unknownKey: '沒有這個設定項目',
  unknownKeyMeant: '沒有這個設定項目；是不是想寫「{meant}」？',
  wrongType: '型別必須是 {expected}',
  notOneOf: '「{value}」不在可用的值之內：{allowed}',
  noRule: '「{value}」不是規則；請寫 `tool` 或 `tool(pattern)`',
  noUrl: '「{value}」不是以 http:// 或 https:// 開頭的網址',
  noPattern: '「{value}」不是有效的模式',
  wrongValue: '{value} 不是可用的值',
  unknownTool: '沒有工具「{value}」；是不是想寫「{meant}」？',
  providerParts: '自訂的模型服務需要 `wire` 和 `baseUrl`；請用一個 JSON 物件同時設定',
  noCheck: '一項檢查必須恰好有 `command`、`file_exists`、`file_matches` 之一',
  untrusted: '此資料夾未受信任。`rein trust` 會列出其中的內容並詢問。',
  ofProject: '專案不能設定，或只能設得更嚴格。',
  trustDamaged: '檔案已損毀，或其他人可以寫入',
} satisfies Dictionary['config'];
