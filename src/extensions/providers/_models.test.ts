import { expect, test } from 'vitest';
import { modelInfo } from './_models.ts';

test.each([
  ['gpt-5-mini', 'gpt-5-mini'],
  ['gpt-5-mini-2025-08-07', 'gpt-5-mini'],
  ['gpt-5-2025-08-07', 'gpt-5'],
  ['openai/gpt-4.1-mini', 'gpt-4.1-mini'],
  ['anthropic/claude-opus-4.5', 'claude-opus-4-5'],
  ['claude-opus-4-1-20250805', 'claude-opus-4'],
])('%s is known as %s', (id, known) => {
  expect(modelInfo(id)).toEqual({ ...modelInfo(known), id });
  expect(modelInfo(id).window).toBeGreaterThan(0);
});

test.each(['gpt-50', 'pear-1', ''])('nothing is known of "%s" but its name', (id) => {
  expect(modelInfo(id)).toEqual({ id });
});

test("the user's entries count first and leave the rest to the table", () => {
  const own = [
    { id: 'gpt-5-mini', window: 1000, maxOutput: undefined },
    { id: 'team/pear', window: 5 },
  ];
  expect(modelInfo('gpt-5-mini-2025-08-07', own)).toEqual({ ...modelInfo('gpt-5-mini-2025-08-07'), window: 1000 });
  expect(modelInfo('team/pear', own)).toEqual({ id: 'team/pear', window: 5 });
});
