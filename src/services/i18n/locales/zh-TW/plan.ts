import type { Dictionary } from '../../dictionary.ts';

/** 計畫圖的文字。 */
export const plan: Dictionary['plan'] = {
  goal: '計畫：{goal}',
  step: '第 {number} 步，共 {count} 步：{description}',
  retry: '第 {count} 次重試，最多 {max} 次',
  review: {
    pass: '審查：通過（{score}）',
    fail: '審查：未通過（{score}）',
    needs_revision: '審查：需要修改（{score}）',
  },
  check: { passed: '檢查通過：{criterion}', failed: '檢查失敗：{criterion}', notRun: '檢查未執行：{criterion}' },
  status: {
    verified: '已驗證：所有檢查均通過。',
    unverified: '未驗證：{reason}。',
    failed: '失敗：{reason}。',
  },
  reason: {
    'no-checks': '沒有可供檢查的依據',
    'check-failed': '有一項檢查失敗',
    'check-not-run': '有一項檢查無法執行',
    voided: '檢查期間或之後又有變更',
    review: '審查未通過',
    refused: '有人拒絕了一次呼叫',
    question: '有一個問題待答，而無人可問',
    'plan-only': '這是計畫，尚未執行任何操作',
  },
  tokens: '{role}：{tokens} 個 token，{cost} USD',
  noJson: '其中沒有 JSON。',
  usage: { schema: '`--json-schema` 需要一個 JSON 物件，或包含它的檔案。' },
};
