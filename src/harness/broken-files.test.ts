import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ErrorData } from '../protocol/errors.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createTempHome } from '../testing/temp-home.ts';
import { createHarness } from './create-harness.ts';

async function harnessWith(folder: string, name: string, text: string) {
  const place = await createTempHome();
  await mkdir(join(place.home, folder), { recursive: true });
  const file = join(place.home, folder, name);
  await writeFile(file, text);
  const warnings: ErrorData[] = [];
  const provider = createScriptedProvider({ script: [{ text: 'hello' }] });
  const options = { home: place.home, cwd: place.workspace, provider, env: {} };
  const harness = await createHarness({ ...options, onWarning: (warning) => warnings.push(warning) });
  return { place, file, harness, warnings, provider };
}

it('security P2: a hook file that does not load opens no session, for it may be what forbids', async () => {
  const { place, file, harness, provider } = await harnessWith('hooks', 'guard.ts', 'export default {');
  await using _place = place;
  await expect(harness.open()).rejects.toMatchObject({ code: 'E_HOOK_FILE', params: { file } });
  expect(provider.requests).toEqual([]);
  expect(await (await harness.store()).list({ cwd: harness.cwd })).toEqual([]);
  // What only looks at things still does.
  expect((await harness.tools()).names()).toContain('read_file');
  await harness.close();
});

it('any other file that does not load is a warning, and so is an agent that names a tool that nobody has', async () => {
  for (const [folder, name, text, code] of [
    ['tools', 'broken.ts', 'export default {', 'E_EXTENSION_LOAD'],
    ['agents', 'scout.md', '---\ndescription: d\ntools: Read, frobnicate\n---\nLook.', 'E_AGENT_FILE'],
  ] as const) {
    const { place, file, harness, warnings } = await harnessWith(folder, name, text);
    await using _place = place;
    const session = await harness.open();
    expect(await session.run('hi')).toMatchObject({ stop: 'completed', text: 'hello' });
    expect(warnings.map((warning) => [warning.code, warning.params.file])).toEqual([[code, file]]);
    await harness.close();
  }
});
