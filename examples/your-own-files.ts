// One file of each kind in a folder of REIN_HOME, and the command line has it. Nothing is registered or configured.
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { createTempHome, runCli, startModelServer } from 'rein/testing';

await using temp = await createTempHome({ 'poem.txt': 'roses are red\n' });
await cp(join(import.meta.dirname, 'extensions'), temp.home, { recursive: true });

// The provider of providers/echo.ts.
const options = { home: temp.home, cwd: temp.workspace };
const echoed = await runCli(['-p', 'Hello', '--model', 'echo'], options);
assert.deepEqual(echoed, { exit: 0, stdout: 'Hello\n', stderr: '' });

// The tool, the middleware and the hook, with a model server that plays a script.
await using server = await startModelServer({
  script: [
    {
      calls: [
        { name: 'word_count', input: { file_path: 'poem.txt' } },
        { name: 'write_file', input: { file_path: 'key.pem', content: '-----BEGIN PRIVATE KEY-----' } },
      ],
    },
    { text: 'Three words.' },
  ],
});
const env = { CUSTOM_API_KEY: 'any', CUSTOM_BASE_URL: server.url('chat'), CUSTOM_MODEL_NAME: 'any' };
const counted = await runCli(['-p', 'How many words?', '--permission-mode', 'acceptEdits'], { ...options, env });
assert.deepEqual(counted, { exit: 0, stdout: 'Three words.\n', stderr: '' });

const [first, second] = server.requests;
assert.match(first?.userTexts.at(-1) ?? '', /^It is \d\d:\d\d UTC\.$/);
assert.equal(second?.results[0]?.text, '3 words');
assert.match(second?.results[1]?.text ?? '', /Private keys do not belong into files of this project\./);
server.assertComplete();
