// Two hooks at work: one keeps files outside of two folders from being written, one makes an index after each write.
import assert from 'node:assert/strict';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createTempHome, runCli, startModelServer } from 'rein/testing';

await using temp = await createTempHome({});
const hooks = join(temp.home, 'hooks');
await mkdir(hooks, { recursive: true });
for (const name of ['write-path-guard.ts', 'reindex.ts']) {
  await cp(join(import.meta.dirname, 'extensions/hooks', name), join(hooks, name));
}

const write = (file_path: string) => ({ name: 'write_file', input: { file_path, content: 'x' } });
await using server = await startModelServer({
  script: [{ calls: [write('src/a.ts'), write('secret/b.ts'), write('../c.ts')] }, { text: 'Written.' }],
});
const env = { CUSTOM_API_KEY: 'any', CUSTOM_BASE_URL: server.url('chat'), CUSTOM_MODEL_NAME: 'any' };
const options = { home: temp.home, cwd: temp.workspace, env };
const { stdout } = await runCli(['-p', 'Write them', '--permission-mode', 'acceptEdits'], options);
assert.equal(stdout, 'Written.\n');

const [first, second, third] = server.requests[1]?.results ?? [];
assert.doesNotMatch(first?.text ?? '', /only src and docs/);
assert.equal(second?.text, '{"error":"only src and docs may be written","file_path":"secret/b.ts"}');
assert.match(third?.text ?? '', /only src and docs may be written/);
assert.equal(await temp.read('index.txt'), 'src\nsrc/a.ts\n');
