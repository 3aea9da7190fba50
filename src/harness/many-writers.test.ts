/** What several processes of one user write at once: configuration, trust and memory. */
import { fork } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempHome } from '../testing/temp-home.ts';
import { trustStore } from './doors/trust.ts';

const processes = 20;
const writes = 50;

/** Runs the same code in all processes at once, with `home`, `name` and `writes` known to it; its exit codes. */
async function inAll(home: string, file: string, code: string): Promise<number[]> {
  await writeFile(file, `const [home, name, writes] = [process.argv[2], process.argv[3], ${writes}];\n${code}`);
  const ended = Array.from({ length: processes }, (_, index) => {
    const child = fork(file, [home, `p${index}`], { execArgv: ['--no-warnings'] });
    return new Promise<number>((resolve) => child.once('exit', (exit) => resolve(exit ?? -1)));
  });
  return Promise.all(ended);
}

const module = (path: string) => JSON.stringify(join(import.meta.dirname, '..', path));
const every = (toText: (name: string, at: number) => string) =>
  Array.from({ length: processes * writes }, (_, n) => toText(`p${Math.floor(n / writes)}`, n % writes)).sort();
const good = Array<number>(processes).fill(0);

test('security M3: twenty processes change the configuration fifty times each, and nothing is lost or torn', async () => {
  await using place = await createTempHome();
  const code = `
    import { addRule } from ${module('services/config/edit.ts')};
    for (let at = 0; at < writes; at++) await addRule(home + '/config.json', 'deny', 'bash(' + name + '-' + at + ')');`;
  expect(await inAll(place.home, join(place.workspace, 'worker.ts'), code)).toEqual(good);
  const { permissions } = JSON.parse(await readFile(join(place.home, 'config.json'), 'utf8')) as {
    permissions: { deny: string[] };
  };
  expect(permissions.deny.toSorted()).toEqual(every((name, at) => `bash(${name}-${at})`));
}, 120_000);

test('security M3, M2: twenty processes add to the same memory fifty times each: who comes second is told, and nothing is lost', async () => {
  await using place = await createTempHome({ 'AGENTS.md': '' });
  const code = `
    import { setTimeout as delay } from 'node:timers/promises';
    import { createWorkspace } from ${module('services/workspace/workspace.ts')};
    const root = ${JSON.stringify(place.workspace)};
    const memory = createWorkspace(root, { limits: { lines: 2000, bytes: 1e6 }, journal: home + '/journal' });
    for (let at = 0; at < writes; at++) {
      for (;;) {
        const { bytes, version } = await memory.readWhole('AGENTS.md', 1e6);
        memory.markSeen('AGENTS.md', version);
        const added = Buffer.concat([bytes, Buffer.from(name + '-' + at + '\\n')]);
        const told = await memory.write('AGENTS.md', added, { version }).then(() => 'written', (error) => error.code);
        if (told === 'written') break;
        if (told !== 'E_FILE_CHANGED') throw new Error(told);
        await delay(Math.random() * 60);
      }
    }`;
  expect(await inAll(place.home, join(place.home, 'worker.ts'), code)).toEqual(good);
  const lines = (await place.read('AGENTS.md')).trimEnd().split('\n');
  expect(lines.toSorted()).toEqual(every((name, at) => `${name}-${at}`));
}, 120_000);

test('security M3: twenty processes trust folders fifty times each, and every folder is trusted as it was last, with its text', async () => {
  await using place = await createTempHome();
  const each = 5;
  const folders = good.flatMap((_, n) => Array.from({ length: each }, (_one, at) => `p${n}-${at}`)).sort();
  for (const folder of folders) await mkdir(join(place.workspace, folder));
  const code = `
    import { trustStore } from ${module('harness/doors/trust.ts')};
    const store = trustStore(home);
    for (let at = 0; at < writes; at++) {
      const folder = name + '-' + at % ${each};
      const [text, hash] = [folder + ' at ' + at, 'hash-' + folder + '-' + at];
      await store.trust(${JSON.stringify(place.workspace)} + '/' + folder, [{ id: 'a', hash, text }]);
    }`;
  expect(await inAll(place.home, join(place.workspace, 'worker.ts'), code)).toEqual(good);
  const store = trustStore(place.home);
  const texts = await Promise.all(
    folders.map(async (folder) => {
      const { items } = (await store.read(join(place.workspace, folder)))!;
      return store.textOf(items.a!);
    }),
  );
  expect(texts).toEqual(folders.map((folder) => `${folder} at ${writes - each + Number(folder.split('-')[1])}`));
}, 120_000);
