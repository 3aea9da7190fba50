import { expect, it } from 'vitest';
import { buildFilter } from './seccomp.ts';

const answers: Readonly<Record<number, string>> = {
  2147418112: 'allow',
  2147483648: 'kill',
  327681: 'EPERM',
  327718: 'ENOSYS',
};

/** What the kernel would answer: runs the program for one call. */
function answer(processor: string, audit: number, call: number, argument = 0): string {
  const bytes = buildFilter(processor) as Uint8Array;
  const program = new DataView(bytes.buffer);
  const data = new Map([
    [0, call],
    [4, audit],
    [16, argument],
  ]);
  let accumulator = 0;
  for (let at = 0; ; at++) {
    const code = program.getUint16(at * 8, true);
    const value = program.getUint32(at * 8 + 4, true);
    const jump = (hit: boolean) => program.getUint8(at * 8 + (hit ? 2 : 3));
    if (code === 0x20) accumulator = data.get(value) ?? 0;
    else if (code === 0x15) at += jump(accumulator === value);
    else if (code === 0x35) at += jump(accumulator >= value);
    else if (code === 0x45) at += jump((accumulator & value) !== 0);
    else return answers[value] ?? String(value);
  }
}

const newUser = 0x10000000;
/** Numbers of socket, clone, unshare, clone3, io_uring_setup, keyctl, read. */
const processors = [
  { processor: 'x64', audit: 0xc000003e, calls: [41, 56, 272, 435, 425, 250, 0] },
  { processor: 'arm64', audit: 0xc00000b7, calls: [198, 220, 97, 435, 425, 219, 63] },
];

it.each(processors)('security Q2: filters the calls of $processor', ({ processor, audit, calls }) => {
  const [socket = 0, clone = 0, unshare = 0, clone3 = 0, uring = 0, keyctl = 0, read = 0] = calls;
  const ask = (call: number, argument?: number) => answer(processor, audit, call, argument);
  expect([1, 2, 10, 16, 17, 38, 40].map((family) => ask(socket, family)).join(' ')).toBe(
    'EPERM allow allow allow EPERM EPERM EPERM',
  );
  expect([ask(clone, 0x11), ask(clone, newUser | 0x11), ask(unshare, newUser), ask(unshare, 0)].join(' ')).toBe(
    'allow EPERM EPERM allow',
  );
  expect([clone3, uring, keyctl, read].map((call) => ask(call)).join(' ')).toBe('ENOSYS ENOSYS EPERM allow');
  expect(ask(0x40000000 + socket, 1)).toBe('ENOSYS');
  expect(answer(processor, 0x40000003, socket, 2)).toBe('kill');
});

it('has no filter for a processor that it does not know', () => {
  expect(buildFilter('mips')).toBeUndefined();
});
