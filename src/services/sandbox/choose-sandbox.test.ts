import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseSandbox, type SandboxOptions } from './choose-sandbox.ts';

let root: string;
let count = 0;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'rein-choose-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function options(more: Partial<SandboxOptions> = {}): SandboxOptions {
  const aside = join(root, 'aside');
  return { roots: [root], userHome: '/nowhere', secrets: [], visible: [], aside, path: '/usr/bin:/bin', ...more };
}

/** A program that is no sandbox, or none that works. */
function fake(script: string): string {
  const file = join(root, `bwrap-${count++}`);
  writeFileSync(file, `#!/bin/bash\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** The real one, with other arguments: `rule` puts each `$x` into `a`. */
function altering(rule: string): string {
  return fake(`a=(); for x; do ${rule}; done; exec /usr/bin/bwrap "\${a[@]}"`);
}

/** Runs what it is given, with nothing around it. */
const pretend = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"';

it('finds that bubblewrap holds here', async () => {
  expect(await chooseSandbox('required', options())).toMatchObject({ level: 'proven', why: 'bubblewrap' });
});

it('takes the word of the user, and tries nothing', async () => {
  const program = fake('touch "$(dirname "$0")/started"');
  expect(await chooseSandbox('external', options({ program }))).toMatchObject({
    level: 'external',
    driver: { name: 'plain' },
  });
  expect(await chooseSandbox('off', options({ program }))).toMatchObject({ level: 'off', driver: { name: 'plain' } });
  expect(existsSync(join(root, 'started'))).toBe(false);
});

describe('security Q6', () => {
  it.each([
    ['missing', () => '/nowhere/bwrap', /not installed/],
    ['broken', () => fake('echo "No permissions to create a new namespace" >&2; exit 1'), /here: No permissions/],
    ['silent', () => fake('exit 0'), /no command runs in it/],
    ['only a pretence', () => fake(pretend), /a command in it wrote/],
    ['without a filter', () => altering('[ "$x" = --seccomp ] && x=--sync-fd; a+=("$x")'), /has no filter/],
    [
      'with the network',
      () => altering('a+=("$x"); [ "$x" = --unshare-all ] && a+=(--share-net)'),
      /reached the network/,
    ],
    [
      'with a system to write to',
      () => altering('[ "$x" = --ro-bind ] && x=--bind; a+=("$x")'),
      /may write to the system/,
    ],
    ['with power', () => altering('[ "$x" = --cap-drop ] && x=--cap-add; a+=("$x")'), /kept capabilities/],
  ])('%s: it is not believed, and nothing runs when one is required', async (_, make, why) => {
    const program = make();
    const chosen = await chooseSandbox('preferred', options({ program }));
    expect(chosen).toMatchObject({ level: 'none', driver: { name: 'plain' }, why: expect.stringMatching(why) });
    await expect(chooseSandbox('required', options({ program }))).rejects.toMatchObject({
      ...{ code: 'E_SANDBOX_UNAVAILABLE', params: { detail: chosen.why } },
    });
  });

  it('lets the canary try once a process', async () => {
    const program = fake('echo x >> "$(dirname "$0")/starts"; exit 1');
    await Promise.all([1, 2, 3].map(() => chooseSandbox('preferred', options({ program }))));
    expect(readFileSync(join(root, 'starts'), 'utf8')).toBe('x\n');
  });
});

it('never makes the home or the whole system writable (security A7)', async () => {
  for (const folder of ['/', root, join(root, '..')]) {
    const { why } = await chooseSandbox('preferred', options({ roots: [folder], userHome: root }));
    expect(why).toBe('bubblewrap; a folder that holds your home is read-only for commands');
  }
});
