import type { Dictionary } from '../../dictionary.ts';

/** 计划图的文字。 */
export const plan: Dictionary['plan'] = {
  goal: '计划：{goal}',
  step: '第 {number} 步，共 {count} 步：{description}',
  retry: '第 {count} 次重试，最多 {max} 次',
  review: {
    pass: '审查：通过（{score}）',
    fail: '审查：未通过（{score}）',
    needs_revision: '审查：需要修改（{score}）',
  },
  check: { passed: '检查通过：{criterion}', failed: '检查失败：{criterion}', notRun: '检查未运行：{criterion}' },
  status: {
    verified: '已验证：所有检查均通过。',
    unverified: '未验证：{reason}。',
    failed: '失败：{reason}。',
  },
  reason: {
    'no-checks': '没有可供检查的依据',
    'check-failed': '有一项检查失败',
    'check-not-run': '有一项检查无法运行',
    voided: '检查期间或之后又有改动',
    review: '审查未通过',
    refused: '有人拒绝了一次调用',
    question: '有一个问题待答，而无人可问',
    'plan-only': '这是计划，尚未执行任何操作',
  },
  tokens: '{role}：{tokens} 个 token，{cost} USD',
  noJson: '其中没有 JSON。',
  usage: { schema: '`--json-schema` 需要一个 JSON 对象，或包含它的文件。' },
};
