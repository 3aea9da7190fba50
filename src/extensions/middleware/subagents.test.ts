import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ConfigFile } from '../../protocol/config.ts';
import { defineTool } from '../../protocol/define/tool.ts';
import { createScriptedProvider } from '../../testing/scripted-provider.ts';
import { startModelServer } from '../../testing/scripted-server.ts';
import { createSessionRig, type SessionRig } from '../../testing/session-rig.ts';
import { createTempHome } from '../../testing/temp-home.ts';
import { waitFor } from '../../testing/time.ts';
import type { ScriptRequest, Turn } from '../../testing/turn.ts';

type HarnessOptions = NonNullable<Parameters<typeof createSessionRig>[0]>;

let rig: SessionRig | undefined;
afterEach(async () => {
  await rig?.[Symbol.asyncDispose]();
  rig = undefined;
});

async function rigOf(
  options: HarnessOptions,
  agents: Readonly<Record<string, string>> = {},
  config: ConfigFile = {},
): Promise<SessionRig> {
  const place = await createTempHome();
  await writeFile(join(place.home, 'config.json'), JSON.stringify(config));
  await mkdir(join(place.home, 'agents'));
  for (const [name, text] of Object.entries(agents)) await writeFile(join(place.home, 'agents', `${name}.md`), text);
  rig = await createSessionRig(options, place);
  return rig;
}

/** What the request's own prompt is: a sub-agent's, or `main`. */
const promptOf = ({ userTexts }: ScriptRequest) => /^child [^\n]*/m.exec(userTexts.join('\n'))?.[0] ?? 'main';

const task = (...inputs: { agent?: string; prompt: string }[]): Turn => ({
  calls: inputs.map((input) => ({ name: 'task', input: { agent: 'general', ...input } })),
});

const note = defineTool({
  name: 'note',
  description: 'Notes.',
  input: z.object({}),
  risk: 'read',
  execute: () => 'noted',
});

describe('task', () => {
  it('runs several sub-agents at once, each with a context of its own, and returns what they report', async () => {
    let here = 0;
    let most = 0;
    const provider = createScriptedProvider({
      respond: async (request) => {
        const prompt = promptOf(request);
        if (prompt === 'main')
          return request.results.length > 0
            ? { text: 'all done' }
            : task({ prompt: 'child a' }, { prompt: 'child b' }, { prompt: 'child c' });
        most = Math.max(most, ++here);
        await waitFor(() => most === 3);
        here--;
        return { text: `report of ${prompt}`, usage: { input: 7, output: 3 } };
      },
    });
    const { session } = await rigOf({ provider });
    const agents = new Set<string>();
    session.listen(({ agent }) => agents.add(agent));
    const outcome = await session.run('go');
    expect(outcome).toMatchObject({ stop: 'completed', text: 'all done' });
    expect(provider.requests.at(-1)!.results.map(({ text }) => text)).toEqual(
      ['a', 'b', 'c'].map((name) => `report of child ${name}`),
    );
    expect([...agents].sort()).toEqual(['main', 'main/general-1', 'main/general-2', 'main/general-3']);
    const child = provider.requests.find((request) => promptOf(request) === 'child a')!;
    expect(child.userTexts.join()).not.toContain('go');
    expect(child.system).toContain('You are a sub-agent');
    const ends = (await Array.fromAsync(session.events())).filter((event) => event.type === 'tool-call-end');
    expect(ends.map(({ usage }) => usage?.output)).toEqual([3, 3, 3]);
  });

  it('gives a definition its own role, turns and tools, and never more than its parent has', async () => {
    const scout = '---\nname: scout\ndescription: Scouts.\ntools: [note, task]\nmaxTurns: 2\n---\nYou scout.';
    const provider = createScriptedProvider({
      respond: (request) => {
        const prompt = promptOf(request);
        if (prompt === 'main')
          return request.results.length > 0 ? { text: 'done' } : task({ agent: 'scout', prompt: 'child scout' });
        if (prompt === 'child deeper') return { text: 'deep' };
        return request.results.length === 0 ? task({ prompt: 'child deeper' }) : { calls: [{ name: 'note' }] };
      },
    });
    const { session } = await rigOf({ provider, tools: [note] }, { scout });
    await session.run('go');
    const by = (prompt: string) => provider.requests.filter((request) => promptOf(request) === prompt);
    expect(by('child scout')).toHaveLength(2);
    expect(by('child scout')[0]!.tools).toEqual(['note', 'task']);
    expect(by('child scout')[0]!.system).toMatch(/^You scout\./);
    expect(by('child deeper')[0]!.tools).toEqual(['note', 'task']);
    expect(by('main').at(-1)!.results[0]!.text).toMatch(
      /^The agent did not finish: the limit of turns \(\d+\) was reached\./,
    );
  });

  describe('the model of a sub-agent', () => {
    const scout = (model: string) => `---\nname: scout\ndescription: Scouts.\nmodel: ${model}\n---\nYou scout.`;

    const isScout = ({ userTexts }: ScriptRequest) => userTexts.join().includes('child scout');

    /** Which models were asked for the main agent and for the scout, and what came of the scout. */
    const asked = async (model: string, config: ConfigFile = {}) => {
      await using server = await startModelServer({
        respond: (request) => {
          if (isScout(request)) return { text: 'scouted' };
          if (request.results.length > 0) return { text: 'done' };
          return task({ agent: 'scout', prompt: 'child scout' });
        },
      });
      const env = {
        PATH: process.env.PATH,
        ...{ CUSTOM_API_KEY: 'k', CUSTOM_BASE_URL: server.url('chat') },
        ...{ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.baseUrls.anthropic },
      };
      const { session } = await rigOf({ env, flags: { model: 'custom/m-main' } }, { scout: scout(model) }, config);
      expect(await session.run('go')).toMatchObject({ stop: 'completed', text: 'done' });
      const used = server.requests.map((request) => [isScout(request) ? 'scout' : 'main', request.wire, request.model]);
      const store = await rig!.harness.store();
      const runs = await Array.fromAsync(store.read(`${session.id}.1`));
      const named = runs.flatMap((event) => (event.type === 'run-start' ? [event.model] : []));
      return { used, named, told: server.requests.at(-1)!.results[0]!.text };
    };

    const main = ['main', 'chat', 'm-main'];

    it('is that of its definition, also of another provider', async () => {
      for (const [model, wire, name] of [
        ['custom/m-small', 'chat', 'm-small'],
        ['anthropic/m-small', 'anthropic', 'm-small'],
        ['inherit', 'chat', 'm-main'],
      ] as const) {
        const { used, named, told } = await asked(model);
        expect(used).toEqual([main, ['scout', wire, name], main]);
        expect(named).toEqual([`${wire === 'chat' ? 'custom' : wire}/${name}`]);
        expect(told).toBe('scouted');
      }
    });

    it('is the one that the configuration names for its role before that of its definition', async () => {
      const config = { roles: { scout: 'anthropic/m-role', general: 'custom/m-other' } };
      const { used, named } = await asked('custom/m-small', config);
      expect(used).toEqual([main, ['scout', 'anthropic', 'm-role'], main]);
      expect(named).toEqual(['anthropic/m-role']);
    });

    it('that cannot be used is an error for the parent, which goes on', async () => {
      const { used, told } = await asked('gemini/m-1');
      expect(used).toEqual([main, main]);
      expect(told).toContain('E_PROVIDER_KEY_MISSING');
    });
  });

  it('says so when a sub-agent ends without a word, when there is no such agent, and when it goes too deep', async () => {
    const provider = createScriptedProvider({
      respond: (request) => {
        const prompt = promptOf(request);
        if (prompt === 'main')
          return request.results.length > 0
            ? { text: 'done' }
            : task({ prompt: 'child 1' }, { agent: 'nobody', prompt: 'x' });
        if (prompt === 'child 1' && request.results.length === 0) return task({ prompt: 'child 2' });
        if (prompt === 'child 2' && request.results.length === 0) return task({ prompt: 'child 3' });
        return { text: '' };
      },
    });
    const { session } = await rigOf({ provider });
    expect(await session.run('go')).toMatchObject({ stop: 'completed' });
    const last = (prompt: string) => provider.requests.findLast((request) => promptOf(request) === prompt)!;
    const [silent, unknown] = last('main').results.map(({ text }) => text);
    expect(silent).toBe('The agent ended without a word.');
    expect(unknown).toContain('any of ["fork","general"]');
    expect(last('child 2').results[0]!.text).toMatch(/no deeper than you are/);
  });

  it('fork: begins with the history of its parent, byte by byte, and leaves it alone', async () => {
    const provider = createScriptedProvider({
      respond: (request) => {
        const prompt = promptOf(request);
        if (prompt === 'child copy') return { text: 'copied' };
        if (request.calls.length === 0) return { calls: [{ name: 'note' }] };
        return request.calls.length === 1 ? task({ agent: 'fork', prompt: 'child copy' }) : { text: 'done' };
      },
    });
    const { session } = await rigOf({ provider, tools: [note] });
    expect(await session.run('go')).toMatchObject({ stop: 'completed', text: 'done' });
    const [, before, copy, after] = provider.requests;
    expect(copy!.messages.slice(0, before!.messages.length)).toEqual(before!.messages);
    expect(copy!.request.sections).toEqual(before!.request.sections);
    expect(copy!.tools).toEqual(before!.tools);
    expect(copy!.results.map(({ text }) => text)).toEqual([
      'noted',
      'Left to the conversation that yours was forked from.',
    ]);
    expect(after!.results.map(({ text }) => text)).toEqual(['noted', 'copied']);
    const ends = (await Array.fromAsync(session.events())).filter((event) => event.type === 'tool-call-end');
    expect(ends.at(-1)?.usage?.output).toBe(10);
  });

  it('case P23: an abort at the moment a sub-agent begins reaches it, and no model is asked again', async () => {
    const provider = createScriptedProvider({ respond: () => task({ prompt: 'child late' }) });
    const { session } = await rigOf({ provider });
    session.listen((event) => {
      if (event.type === 'tool-call-start') void session.abort();
    });
    expect(await session.run('go')).toMatchObject({ stop: 'aborted' });
    expect(provider.requests).toHaveLength(1);
  });
});
