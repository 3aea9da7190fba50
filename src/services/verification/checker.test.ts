import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Check } from '../../protocol/plan.ts';
import { createTempWorkspace, type TempWorkspace } from '../../testing/temp-workspace.ts';
import { createChecker } from './checker.ts';

let host: TempWorkspace;
beforeEach(() => {
  host = createTempWorkspace({ 'a.txt': 'one\ntwo 22\n', 'sub/b.txt': 'b' });
});
afterEach(() => host[Symbol.asyncDispose]());

const never = new AbortController().signal;
const checker = () => createChecker({ ...host, redact: (text) => text.replaceAll('s3cret', '[key]') });

describe('a check', () => {
  const cases: [what: string, check: Check, found: object][] = [
    ['a command that ends well', { criterion: 'c', command: 'echo fine' }, { ok: true, exit: 0, output: 'fine' }],
    ['a command that fails', { criterion: 'c', command: 'echo no; exit 3' }, { ok: false, exit: 3, output: 'no' }],
    [
      'a command that a signal ends',
      { criterion: 'c', command: 'echo first; kill -9 $$' },
      { ok: false, notRun: true, output: 'ended by SIGKILL\nfirst' },
    ],
    ['what is secret', { criterion: 'c', command: 'echo s3cret' }, { ok: true, exit: 0, output: '[key]' }],
    ['a file that is there', { criterion: 'c', file_exists: 'a.txt' }, { ok: true, output: 'a.txt: file, 11 bytes' }],
    [
      'a folder',
      { criterion: 'c', file_exists: 'sub' },
      { ok: true, output: expect.stringMatching(/^sub: directory/) },
    ],
    ['a file that is not', { criterion: 'c', file_exists: 'no.txt' }, { ok: false, output: 'no.txt does not exist' }],
    [
      'a name below a file',
      { criterion: 'c', file_exists: 'a.txt/x' },
      { ok: false, output: 'a.txt/x does not exist' },
    ],
    [
      'a file out of reach',
      { criterion: 'c', file_exists: '../proj-evil/secret.txt' },
      { ok: false, notRun: true, output: expect.stringContaining('E_PATH_OUTSIDE') },
    ],
    [
      'a pattern that is there',
      { criterion: 'c', file_matches: { path: 'a.txt', pattern: '\\d+' } },
      { ok: true, output: 'a.txt:2: two 22' },
    ],
    [
      'a pattern that is not',
      { criterion: 'c', file_matches: { path: 'a.txt', pattern: 'three' } },
      { ok: false, output: 'a.txt: no line matches three' },
    ],
    [
      'a pattern in a file that is not there',
      { criterion: 'c', file_matches: { path: 'no.txt', pattern: 'x' } },
      { ok: false, output: 'no.txt does not exist' },
    ],
    [
      'a pattern that is none',
      { criterion: 'c', file_matches: { path: 'a.txt', pattern: '(' } },
      { ok: false, notRun: true, output: expect.stringContaining('E_PATTERN') },
    ],
  ];

  it.each(cases)('%s', async (_what, check, found) => {
    expect(await checker().run(check, never)).toEqual({ criterion: 'c', ...found });
  });

  it('keeps the end of a long output', async () => {
    const { output = '' } = await checker().run({ criterion: 'c', command: 'seq 1 5000' }, never);
    expect(output).toMatch(/^\.\.\. .*\n5000$/s);
    expect(output.length).toBe(4004);
  });

  it('does not swallow an abort', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(checker().run({ criterion: 'c', command: 'true' }, signal)).rejects.toThrow('enough');
  });
});

describe('the fingerprint', () => {
  it('changes with a content, a name and a new file, and not with what is ignored', async () => {
    host.put('.gitignore', 'log\n');
    const take = () => checker().fingerprint(never);
    const first = await take();
    host.put('log', 'x');
    expect(await take()).toBe(first);
    const seen = new Set([first]);
    for (const [name, text] of [
      ['a.txt', 'one\n'],
      ['new.txt', ''],
      ['sub/c.txt', 'b'],
    ] as const) {
      host.put(name, text);
      seen.add(await take());
    }
    expect(seen.size).toBe(4);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
  });
});
