import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineMiddleware, slots } from '../protocol/define/middleware.ts';
import type { ModelRequest } from '../protocol/request.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createSessionRig } from '../testing/session-rig.ts';
import { createTempHome } from '../testing/temp-home.ts';

describe('the order of middleware', () => {
  it('is that of the slots; what has none stands in the slot of the user', async () => {
    const mine = [
      defineMiddleware({ name: 'mine' }),
      defineMiddleware({ name: 'first', slot: 'todo' }),
      defineMiddleware({ name: 'late', slot: 'memory' }),
    ];
    await using rig = await createSessionRig({ middleware: mine });
    const { middleware } = await rig.harness.extensions();
    const order = middleware.map(({ name, slot = 'user' }) => `${slot}: ${name}`);
    const known = [
      'todo: todo',
      'todo: first',
      'skills: skills',
      'files: files',
      'subagents: subagents',
      'compaction: compaction',
      'repair: repair',
      'background: background',
      'user: mine',
      'cache: cache',
      'memory: memory',
      'memory: rules',
      'memory: late',
      'approval: approval',
    ];
    expect(order.filter((entry) => known.includes(entry))).toEqual(known);
    const positions = middleware.map(({ slot = 'user' }) => slots.indexOf(slot));
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  });

  it('one of the same name takes the place of a built-in; approval and repair only from the library', async () => {
    await using place = await createTempHome();
    const file = (name: string) => join(place.home, 'middleware', `${name}.ts`);
    await mkdir(dirname(file('x')), { recursive: true });
    for (const name of ['todo', 'cache', 'approval', 'repair', 'own']) {
      await writeFile(
        file(name),
        `import { defineMiddleware } from 'rein';\nexport default defineMiddleware({ name: '${name}', slot: '${name === 'own' ? 'user' : name}', afterAgent() {} });\n`,
      );
    }
    const replaced = defineMiddleware({ name: 'skills', slot: 'skills', afterAgent() {} });
    await using rig = await createSessionRig({ middleware: [replaced] }, place);
    const { middleware, tools } = await rig.harness.extensions();
    const isMine = (name: string) => middleware.filter((one) => one.name === name).map((one) => 'afterAgent' in one);
    expect(['todo', 'cache', 'own', 'skills'].map(isMine)).toEqual([[true], [true], [true], [true]]);
    expect(['approval', 'repair'].flatMap(isMine)).not.toContain(true);
    // What a built-in brought goes with it.
    expect(tools.map(({ name }) => name)).not.toContain('write_todos');
  });
});

describe('a request', () => {
  const spoilers: Record<string, (request: ModelRequest) => void> = {
    'a field': (request) => Object.assign(request, { model: 'other' }),
    'the text of a section': (request) => Object.assign(request.sections[0]!, { text: 'x' }),
    'the list of sections': (request) => (request.sections as unknown[]).push({}),
    'a tool': (request) => Object.assign(request.tools[0]!.input, { x: 1 }),
    'the list of messages': (request) => (request.messages as unknown[]).push({}),
    'an index of the list': (request) => Object.assign(request.messages, { 0: {} }),
    'the parts of a message': (request) =>
      request.messages[0]!.role === 'user' ? (request.messages[0]!.parts as unknown[]).pop() : 0,
    'the text of a message': (request) =>
      Object.assign((request.messages[0] as unknown as { parts: object[] }).parts[0]!, { text: 'x' }),
  };

  it.each(Object.keys(spoilers))('cannot be changed by a middleware: %s', async (name) => {
    const vandal = defineMiddleware({
      name: 'vandal',
      wrapModelCall: async (request, next) => {
        spoilers[name]!(request);
        return next(request);
      },
    });
    await using rig = await createSessionRig({
      provider: createScriptedProvider({ script: [{ text: 'x' }] }),
      middleware: [vandal],
    });
    expect(await rig.session.run('go')).toMatchObject({
      stop: 'error',
      error: { code: 'E_MIDDLEWARE', params: { name: 'vandal' } },
    });
  });

  it('is changed by a copy: the stored prefix is the same object, all else may differ', async () => {
    const provider = createScriptedProvider({ script: [{ text: 'x' }] });
    const patient = defineMiddleware({
      name: 'patient',
      wrapModelCall: async (request, next) => {
        const changed = request.with({ maxOutput: 7 });
        expect(changed.messages).toBe(request.messages);
        return next(changed);
      },
    });
    await using rig = await createSessionRig({ provider, middleware: [patient] });
    expect(await rig.session.run('go')).toMatchObject({ stop: 'completed' });
    expect(provider.requests[0]?.request).toMatchObject({ maxOutput: 7, cache: { key: rig.session.id, marks: true } });
  });

  it('the session that a middleware sees cannot be changed either', async () => {
    const vandal = defineMiddleware({
      name: 'vandal',
      beforeModel: ({ session }) => void (session.messages as unknown[]).push({}),
    });
    await using rig = await createSessionRig({
      provider: createScriptedProvider({ script: [] }),
      middleware: [vandal],
    });
    expect(await rig.session.run('go')).toMatchObject({ error: { code: 'E_MIDDLEWARE', params: { name: 'vandal' } } });
  });
});

it('two that keep state do not see each other’s, nor what built-ins keep; a file’s too, over a restart', async () => {
  const seen: Record<string, unknown[]> = { one: [], two: [] };
  const counting = (name: string) =>
    defineMiddleware<{ tallied: number }>({
      name,
      state: z.object({ tallied: z.number().default(0) }),
      beforeModel: ({ state, ...rest }) => {
        seen[name]!.push(state);
        expect(JSON.stringify(rest.session)).not.toContain('"tallied"');
        return { state: { tallied: state.tallied + (name === 'one' ? 1 : 10) } };
      },
    });
  const middleware = [counting('one'), counting('two')];
  const provider = createScriptedProvider({ respond: () => ({ text: 'ok' }) });
  await using rig = await createSessionRig({ provider, middleware });
  await rig.session.run('a');
  await rig.session.run('b');
  const again = await rig.reopen();
  await again.session.run('c');
  await again.harness.close();
  expect(seen).toEqual({
    one: [{ tallied: 0 }, { tallied: 1 }, { tallied: 2 }],
    two: [{ tallied: 0 }, { tallied: 10 }, { tallied: 20 }],
  });
});
