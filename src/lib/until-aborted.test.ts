import { expect, test } from 'vitest';
import { untilAborted } from './until-aborted.ts';

test('gives what the work gives, or what the signal says first', async () => {
  const never = new Promise<string>(() => undefined);
  const abort = new AbortController();
  expect(await untilAborted(Promise.resolve('done'), abort.signal)).toBe('done');
  const waiting = untilAborted(never, abort.signal);
  abort.abort('stopped');
  await expect(waiting).rejects.toBe('stopped');
  await expect(untilAborted(Promise.resolve('done'), abort.signal)).rejects.toBe('stopped');
});
