/** Texts of the plan graph. */
export const plan = {
  goal: 'Plan: {goal}',
  step: 'Step {number} of {count}: {description}',
  retry: 'Retry {count} of {max}',
  review: {
    pass: 'Review: passed ({score})',
    fail: 'Review: not passed ({score})',
    needs_revision: 'Review: to be revised ({score})',
  },
  check: {
    passed: 'Check passed: {criterion}',
    failed: 'Check failed: {criterion}',
    notRun: 'Check did not run: {criterion}',
  },
  status: {
    verified: 'Verified: every check passed.',
    unverified: 'Not verified: {reason}.',
    failed: 'Failed: {reason}.',
  },
  reason: {
    'no-checks': 'there was nothing to check it by',
    'check-failed': 'a check failed',
    'check-not-run': 'a check could not run',
    voided: 'something was changed during the checks or after them',
    review: 'the reviewer did not pass it',
    refused: 'a person refused a call',
    question: 'a question is open, and nobody could be asked',
    'plan-only': 'this is the plan; nothing was done',
  },
  tokens: '{role}: {tokens} tokens, {cost} USD',
  noJson: 'There is no JSON in it.',
  usage: { schema: '`--json-schema` needs a JSON object, or a file that holds one.' },
};
