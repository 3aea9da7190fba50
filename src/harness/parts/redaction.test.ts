import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ReinEvent } from '../../protocol/event.ts';
import { createScriptedProvider } from '../../testing/scripted-provider.ts';
import { createSessionRig } from '../../testing/session-rig.ts';
import { createTempHome } from '../../testing/temp-home.ts';
import { waitFor } from '../../testing/time.ts';

/** Made up; each is put together so that it stands nowhere as a whole. */
const secrets = {
  variable: ['env', 'value', '0123456789'].join('-'),
  stored: ['stored', 'value', '0123456789'].join('-'),
  header: ['header', 'value', '0123456789'].join('-'),
  github: `ghp_${'aB3'.repeat(12)}`,
  password: 'Zk3vQ9xTb7LmW2pRc8Yd',
};
const all = Object.values(secrets);

/** Every byte below a folder, rows of the database inflated too. */
async function bytesBelow(folder: string): Promise<string> {
  let found = '';
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name === '.env' || entry.name === 'config.json') continue;
    const bytes = await readFile(join(entry.parentPath, entry.name));
    found += bytes.toString('latin1');
    for (let at = bytes.indexOf(0x78); at >= 0; at = bytes.indexOf(0x78, at + 1)) {
      try {
        found += inflateSync(bytes.subarray(at), { finishFlush: 2 }).toString('latin1');
      } catch {
        // Not the beginning of a row.
      }
    }
  }
  return found;
}

async function createRig(command: string, prompt = 'go') {
  const place = await createTempHome({ 'settings.txt': `DB_PASSWORD=${secrets.password}\n` });
  await writeFile(join(place.home, '.env'), `STORED_TOKEN=${secrets.stored}\n`);
  const headers = { 'X-Api-Key': secrets.header };
  await writeFile(join(place.home, 'config.json'), JSON.stringify({ providers: { custom: { headers } } }));
  const provider = createScriptedProvider({
    script: [
      {
        calls: [
          { name: 'bash', input: { command } },
          { name: 'read_file', input: { file_path: 'settings.txt' } },
        ],
      },
      { text: 'done' },
    ],
  });
  const env = { PATH: process.env.PATH, A_KEY: secrets.variable };
  const rig = await createSessionRig({ provider, env, flags: { sandbox: 'off' } }, place);
  const events: ReinEvent[] = [];
  rig.session.listen((event) => events.push(event));
  const outcome = await rig.session.run(prompt);
  return { rig, place, provider, events, outcome };
}

describe('security E2', () => {
  it('what a command prints or a file holds reaches model, screen and disk with markers only', async () => {
    const words = [secrets.variable, secrets.stored, secrets.header, secrets.github].map((word) =>
      word.split('').join("''"),
    );
    const { rig, place, provider, events } = await createRig(`echo '${words.join("'; echo '")}'`);
    await rig.harness.close();
    const places = {
      model: JSON.stringify(provider.requests),
      screen: JSON.stringify(events),
      disk: await bytesBelow(place.home),
    };
    for (const [name, text] of Object.entries(places)) {
      expect([name, all.filter((secret) => text.includes(secret))]).toEqual([name, []]);
      for (const marker of ['A_KEY', 'STORED_TOKEN', 'X-Api-Key', 'github token', 'secret value']) {
        expect([name, marker, text.includes(`[redacted: ${marker}]`)]).toEqual([name, marker, true]);
      }
    }
    await rig[Symbol.asyncDispose]();
  });

  it('a known secret in a prompt is neither stored nor sent', async () => {
    const { rig, place, provider, events } = await createRig('true', `use ${secrets.variable} for it`);
    await rig.harness.close();
    const texts = [JSON.stringify(provider.requests), JSON.stringify(events), await bytesBelow(place.home)];
    expect(texts.map((text) => [text.includes(secrets.variable), text.includes('[redacted: A_KEY]')])).toEqual(
      Array(3).fill([false, true]),
    );
    await rig[Symbol.asyncDispose]();
  });

  it('a secret that is printed in pieces, or cut where output is left out, is found', async () => {
    const half = secrets.github.slice(0, 20);
    const rest = secrets.github.slice(20);
    const filler = 'x'.repeat(997);
    const command = `printf '%s' ${half}; sleep 0.05; echo ${rest}; for n in $(seq 60); do echo ${filler} ${half}''${rest}; done`;
    const { rig, events } = await createRig(command);
    const shown = JSON.stringify(
      events.filter(({ type }) => type === 'tool-call-progress' || type === 'tool-call-end'),
    );
    expect(shown).toContain('bytes left out');
    // Neither whole nor in parts that are long enough to mean something.
    expect(shown).not.toContain(secrets.github.slice(0, 12));
    expect(shown).not.toContain(secrets.github.slice(-8));
    await rig[Symbol.asyncDispose]();
  });
});

it('security E1: a command sees no variable that holds a secret', async () => {
  const { rig, events } = await createRig('env');
  const results = await waitFor(() => events.filter(({ type }) => type === 'tool-call-end'));
  const text = JSON.stringify(results);
  expect([text.includes('PATH='), text.includes('A_KEY'), text.includes('STORED_TOKEN')]).toEqual([true, false, false]);
  await rig[Symbol.asyncDispose]();
});
