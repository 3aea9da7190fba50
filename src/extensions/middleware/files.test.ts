import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../protocol/define/tool.ts';
import { createScriptedProvider } from '../../testing/scripted-provider.ts';
import { createSessionRig, type SessionRig } from '../../testing/session-rig.ts';
import { createTempHome } from '../../testing/temp-home.ts';

const lines = Array.from({ length: 5000 }, (_, index) => `line ${index + 1} of the long result`).join('\n');

const long = defineTool({
  name: 'long',
  description: 'Says a lot.',
  input: z.object({ text: z.string().optional() }),
  risk: 'read',
  execute: ({ text }) => text ?? lines,
});

let rig: SessionRig | undefined;
afterEach(async () => {
  await rig?.[Symbol.asyncDispose]();
  rig = undefined;
});

const pathIn = (text = '') => /All of it is in (\S+):/.exec(text)?.[1] ?? '';

describe('a long result', () => {
  it('goes to a private file of the session; both ends are shown, and the rest can be read on', async () => {
    const provider = createScriptedProvider({
      respond: ({ results }) => {
        if (results.length === 0) return { calls: [{ name: 'long' }] };
        const file_path = pathIn(results[0]!.text);
        if (results.length === 1)
          return { calls: [{ name: 'read_file', input: { file_path, offset: 2500, limit: 2 } }] };
        return { text: 'done' };
      },
    });
    rig = await createSessionRig({ provider, tools: [long] });
    await rig.session.run('go');
    const [first, second] = provider.requests[2]!.results.map(({ text }) => text);
    expect(first!.length).toBeLessThan(5000);
    expect(first).toMatch(
      /^line 1 of.*bytes left out.*line 5000 of the long result\n\n\[The result has 143892 bytes in 5000 lines/s,
    );
    expect(second).toBe(
      '2500\tline 2500 of the long result\n2501\tline 2501 of the long result\n[lines 2500-2501 of 5000; go on with offset 2502]',
    );
    const folder = join(rig.place.home, 'sessions', rig.session.id);
    const [name] = await readdir(folder);
    expect(join(folder, name!)).toBe(pathIn(first));
    expect((await stat(join(folder, name!))).mode & 0o777).toBe(0o600);
    await rig.session.close();
    await (await rig.harness.store()).delete(rig.session.id);
    await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('stays where a fork has it in its history, and goes with the last fork', async () => {
    const provider = createScriptedProvider({
      respond: ({ results, userTexts }) => {
        if (results.length === 0) return { calls: [{ name: 'long' }] };
        if (!userTexts.includes('read on') || results.length === 2) return { text: 'done' };
        return {
          calls: [{ name: 'read_file', input: { file_path: pathIn(results[0]!.text), offset: 2500, limit: 1 } }],
        };
      },
    });
    rig = await createSessionRig({ provider, tools: [long] });
    await rig.session.run('go');
    const { id } = rig.session;
    const folder = join(rig.place.home, 'sessions', id);
    const [name] = await readdir(folder);
    const fork = await rig.reopen({ resume: id, fork: true });
    const store = await fork.harness.store();
    await store.delete(id);
    await fork.session.run('read on');
    expect(provider.requests.at(-1)!.results[1]!.text).toContain('2500\tline 2500 of the long result');
    expect(await readdir(folder)).toEqual([name]);
    await fork.session.close();
    await store.delete(fork.session.id);
    await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
    await fork.harness.close();
  });

  it('is shorter for a local model, and shown and read in smaller pieces', async () => {
    const text = lines.slice(0, 20_000);
    const provider = createScriptedProvider({
      respond: ({ results }) => {
        if (results.length === 0) return { calls: [{ name: 'long', input: { text } }] };
        const file_path = pathIn(results[0]!.text);
        if (results.length === 1) return { calls: [{ name: 'read_file', input: { file_path, limit: 1000 } }] };
        return { text: 'done' };
      },
    });
    const place = await createTempHome();
    await writeFile(join(place.home, 'config.json'), JSON.stringify({ profile: 'local' }));
    rig = await createSessionRig({ provider, tools: [long] }, place);
    await rig.session.run('go');
    const [first, second] = provider.requests[2]!.results.map((result) => result.text);
    expect(first!.length).toBeLessThan(2000);
    expect(second).toMatch(/^1\tline 1 of.*\[lines 1-100 of \d+; go on with offset 101\]$/s);
  });

  it('of one line is broken, so that all of it can be read; a short one is left alone', async () => {
    const text = `begin ${'漢字'.repeat(20_000)} end`;
    const provider = createScriptedProvider({
      respond: ({ results }) => {
        if (results.length === 0)
          return {
            calls: [
              { name: 'long', input: { text } },
              { name: 'long', input: { text: 'short' } },
            ],
          };
        const file_path = pathIn(results[0]!.text);
        if (results.length === 2) return { calls: [{ name: 'read_file', input: { file_path, offset: 81 } }] };
        return { text: 'done' };
      },
    });
    rig = await createSessionRig({ provider, tools: [long] });
    await rig.session.run('go');
    const [, short, rest] = provider.requests[2]!.results.map((result) => result.text);
    expect(short).toBe('short');
    expect(rest).toMatch(/字漢字 end\n\[lines 81-81 of 81\]$/);
  });

  it('of another name or folder is no business of this layer', async () => {
    const provider = createScriptedProvider({
      respond: ({ results }) => {
        const home = rig!.place.home;
        const tries = [
          join(home, '.env'),
          `${home}/sessions/../.env`,
          `${home}/sessions/x/../../.env`,
          `${home}/sessions/x/guess.txt`,
        ];
        if (results.length < tries.length)
          return { calls: [{ name: 'read_file', input: { file_path: tries[results.length]! } }] };
        return { text: 'done' };
      },
    });
    rig = await createSessionRig({ provider });
    await writeFile(join(rig.place.home, '.env'), 'SECRET_KEY=hunter2-hunter2');
    await rig.session.run('go');
    const texts = provider.requests.at(-1)!.results.map(({ text }) => text);
    expect(texts).toHaveLength(4);
    expect(texts.join()).not.toContain('hunter2');
  });
});

describe('a long message of the user', () => {
  it('goes to a file too, whether it begins a run or steers one', async () => {
    const text = `Read this: ${'word '.repeat(60_000)} the end`;
    const provider = createScriptedProvider({ respond: () => ({ text: 'done' }) });
    rig = await createSessionRig({ provider });
    await rig.session.run(text);
    const said = provider.requests[0]!.userTexts.at(-1)!;
    expect(said.length).toBeLessThan(6000);
    expect(said).toMatch(/^Read this: word.*the end\n\n\[The user's message has 300019 bytes in 1 lines/s);
    const again = await rig.reopen();
    expect(again.session.state?.messages.at(-2)).toEqual({ role: 'user', parts: [{ type: 'text', text: said }] });
    await again.harness.close();
  });
});
