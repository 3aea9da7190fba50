import { existsSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createTempWorkspace } from '../../testing/temp-workspace.ts';

const { signal } = new AbortController();
/** Stands for the list of the permission service. */
const isSecret = (path: string) => /\/(\.env|keys)$/.test(path) || path.includes('/keys/');

describe.each(['ripgrep', 'JavaScript'])('files that hold keys, searched with %s', (matcher) => {
  const make = () => {
    const files = {
      '.env': 'KEY=very-secret\n',
      'a/.env': 'KEY=very-secret\n',
      'keys/id': 'very-secret\n',
      'b.txt': 'very-open\n',
    };
    return createTempWorkspace(files, { isSecret, ...(matcher === 'JavaScript' && { ripgrep: undefined }) });
  };

  it('security E1: are neither walked nor searched, whatever is asked for', async () => {
    await using host = make();
    const { workspace } = host;
    expect(await Array.fromAsync(workspace.walk('.', signal))).toEqual(['b.txt']);
    expect(await workspace.search({ pattern: 'very', maxMatches: 9, signal })).toEqual({
      matches: [{ path: 'b.txt', line: 1, text: 'very-open' }],
    });
    expect(await workspace.count({ pattern: 'very', signal })).toEqual({ files: [{ path: 'b.txt', lines: 1 }] });
    for (const path of ['.env', 'a/.env', 'keys', 'keys/id']) {
      await expect(workspace.search({ pattern: 'very', path, maxMatches: 9, signal })).rejects.toMatchObject(
        refused(path),
      );
    }
  });
});

const refused = (path: string) => ({
  code: 'E_FILE',
  params: { path, detail: 'may hold keys, so no tool reads or changes it' },
});

it('security E1: are neither read nor written nor listed, also through a link, and no folder is made for them', async () => {
  await using host = createTempWorkspace({ '.env': 'KEY=very-secret\n', 'keys/id': 'very-secret\n' }, { isSecret });
  const { workspace } = host;
  symlinkSync('.env', host.path('open.txt'));
  symlinkSync('keys', host.path('dir'));
  for (const path of ['.env', 'open.txt', 'keys/id', 'dir/id', 'dir/./id', 'new/.env']) {
    const uses = [
      () => workspace.readBytes(path, 0, 9),
      () => workspace.readWhole(path, 99),
      () => Array.fromAsync(workspace.readPieces(path, signal)),
      () => workspace.info(path),
      () => workspace.write(path, Buffer.from('x')),
    ];
    for (const use of path.startsWith('new/') ? uses.slice(-1) : uses)
      await expect(use()).rejects.toMatchObject(refused(path));
  }
  for (const path of ['keys', 'dir']) {
    await expect(workspace.list(path)).rejects.toMatchObject(refused(path));
    await expect(Array.fromAsync(workspace.walk(path, signal))).rejects.toMatchObject(refused(path));
  }
  expect([host.text('.env'), host.text('keys/id'), existsSync(host.path('new'))]).toEqual([
    'KEY=very-secret\n',
    'very-secret\n',
    false,
  ]);
  expect((await workspace.list('.')).map(({ name }) => name)).toEqual(['.env', 'dir', 'keys', 'open.txt']);
});
