// A server of your own as a provider: a name, a wire and an address in `config.json`.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHarness } from 'rein';
import { createTempHome, startModelServer } from 'rein/testing';

for (const wire of ['chat', 'responses', 'anthropic', 'gemini'] as const) {
  await using temp = await createTempHome();
  await using server = await startModelServer({ script: [{ text: 'Hello.' }] });
  const lab = { wire, baseUrl: server.url(wire), model: 'small', headers: { 'x-team': 'blue' } };
  await writeFile(join(temp.home, 'config.json'), JSON.stringify({ provider: 'lab', providers: { lab } }));

  // The key, if it needs one, comes from the environment or `.env`.
  const harness = await createHarness({ home: temp.home, cwd: temp.workspace, env: { LAB_API_KEY: 'any' } });
  const session = await harness.open();
  assert.equal((await session.run('Say hello.')).text, 'Hello.');
  await harness.close();
  assert.equal(server.requests[0]?.model, 'small');
}
