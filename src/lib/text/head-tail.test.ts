import { expect, it } from 'vitest';
import { HeadTail } from './head-tail.ts';

it('shows all that fits', () => {
  const kept = new HeadTail(10);
  kept.push(Buffer.from('01234'));
  kept.push(Buffer.from('56789'));
  expect(kept.text()).toBe('0123456789');
  kept.clear();
  expect(kept.text()).toBe('');
});

it('shows both ends of what does not fit, however it is cut into pieces', () => {
  const all = Buffer.from('abcdefghij'.repeat(1000));
  for (const size of [1, 3, 7, 100, 9_999, 10_000]) {
    const kept = new HeadTail(20);
    for (let at = 0; at < all.length; at += size) kept.push(all.subarray(at, at + size));
    expect(kept.text()).toBe('abcdefghij\n[... 9980 bytes left out ...]\nabcdefghij');
  }
});

it('does not tear characters', () => {
  const kept = new HeadTail(10);
  for (const byte of Buffer.from('中'.repeat(50))) kept.push(Uint8Array.of(byte));
  expect(kept.text()).toBe('中\n[... 144 bytes left out ...]\n中');
});

it('keeps little of an endless stream', () => {
  const kept = new HeadTail(1000);
  const piece = Buffer.alloc(65_536, 'y\n');
  const before = process.memoryUsage().rss;
  for (let n = 0; n < 20_000; n++) kept.push(piece);
  expect(process.memoryUsage().rss - before).toBeLessThan(64e6);
  expect(kept.text()).toContain('bytes left out');
});
