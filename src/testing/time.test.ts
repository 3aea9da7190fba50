import { expect, test } from 'vitest';
import { createFakeClock, waitFor } from './time.ts';

test('the clock stands still until it is moved, and wakes sleepers in order', async () => {
  const clock = createFakeClock(1000);
  const woken: string[] = [];
  const sleep = async (name: string, milliseconds: number) => {
    await clock.sleep(milliseconds);
    woken.push(name);
  };
  const all = [sleep('late', 30), sleep('first', 10), sleep('second', 20)];
  clock.advance(25);
  await Promise.all(all.slice(1));
  expect([woken, clock.sleeping, clock.now(), clock.monotonic()]).toEqual([['first', 'second'], 1, 1025, 25]);
  clock.advance(5);
  await all[0];
  expect(woken).toEqual(['first', 'second', 'late']);
});

test('a sleep ends with the reason of its signal', async () => {
  const clock = createFakeClock();
  const controller = new AbortController();
  const sleeping = clock.sleep(10, controller.signal);
  controller.abort(new Error('enough'));
  await expect(sleeping).rejects.toThrow('enough');
  await expect(clock.sleep(10, controller.signal)).rejects.toThrow('enough');
  expect(clock.sleeping).toBe(0);
});

test('waitFor returns the value, or names what it waited for', async () => {
  let looks = 0;
  expect(await waitFor(() => (++looks > 2 ? looks : undefined))).toBe(3);
  await expect(waitFor(() => false, { what: 'rain', timeoutMs: 10 })).rejects.toThrow('Waited 10 ms for rain.');
});
