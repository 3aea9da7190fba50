import { expect, test } from 'vitest';
import type { Config } from '../../protocol/config.ts';
import { compactionSettings, isOver, keepTokens } from './_compaction-settings.ts';

type Sizes = readonly { readonly tokens?: number; readonly messages?: number; readonly window?: number }[];

/** Which of these sizes are too long under a configuration. */
function over(config: Config['compaction'], sizes: Sizes): boolean[] {
  const settings = compactionSettings(config);
  return sizes.map((size) => isOver(settings, { tokens: 0, messages: 0, ...size }));
}

test('by default 85 % of the window where it is known, 170,000 tokens where it is not, however many messages', () => {
  const sizes = [
    { tokens: 84_999, window: 100_000 },
    { tokens: 85_000, window: 100_000 },
    { tokens: 169_999 },
    { tokens: 170_000 },
    { messages: 1_000_000 },
    { tokens: 800_000, window: 1_000_000 },
  ];
  expect(over(undefined, sizes)).toEqual([false, true, false, true, false, false]);
});

test('a number is a share up to 1, tokens above', () => {
  const sizes = [{ tokens: 500, window: 1000 }, { tokens: 500, window: 1001 }, { tokens: 5000 }];
  expect(over({ trigger: 0.5 }, sizes)).toEqual([true, false, false]);
  expect(over({ trigger: 5000 }, sizes)).toEqual([false, false, true]);
  expect(
    over({ trigger: 1 }, [
      { tokens: 999, window: 1000 },
      { tokens: 1000, window: 1000 },
    ]),
  ).toEqual([false, true]);
});

test('of a combination all must hold, of a list one', () => {
  const both = { messages: 80, tokens: 50_000 };
  const sizes = [{ messages: 80 }, { tokens: 50_000 }, { messages: 80, tokens: 50_000 }, { tokens: 180_000 }];
  expect(over({ trigger: both }, sizes)).toEqual([false, false, true, false]);
  expect(over({ trigger: [both, { fraction: 0.9 }] }, sizes)).toEqual([false, false, true, true]);
  expect(over({ trigger: { messages: 80 } }, sizes)).toEqual([true, false, true, false]);
});

test('what stays whole is a share of the window or an amount, and at most half of the request', () => {
  const keep = (value: number | undefined, ...size: [number, number?]) =>
    keepTokens(compactionSettings(value === undefined ? {} : { keep: value }), ...size);
  expect([keep(undefined, 90_000, 100_000), keep(undefined, 180_000), keep(300, 5000)]).toEqual([10_000, 20_000, 300]);
  expect([keep(0.5, 5000, 100_000), keep(9000, 5000)]).toEqual([2500, 2500]);
});

test('old arguments: from 50 messages on, the newest 20 stay, 2,000 characters each; one by one to be changed', () => {
  expect(compactionSettings().arguments).toEqual({ trigger: 50, keep: 20, maxLength: 2000 });
  expect(compactionSettings({ arguments: { keep: 5 } }).arguments).toEqual({ trigger: 50, keep: 5, maxLength: 2000 });
});
