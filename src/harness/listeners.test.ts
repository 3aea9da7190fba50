/** A listener's fault stays its own, and closing ends what works. */
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../protocol/define/tool.ts';
import type { ReinEvent } from '../protocol/event.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createSessionRig } from '../testing/session-rig.ts';

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  risk: 'read',
  execute: ({ text }) => text,
});
const script = () => [
  { text: 'one', calls: [{ name: 'echo', input: { text: 'a' } }] },
  { calls: [{ name: 'echo', input: { text: 'b' } }] },
  { text: 'done' },
];

const faults: [string, (event: ReinEvent) => void | Promise<void>][] = [
  [
    'throws at every event',
    () => {
      throw new Error('my listener');
    },
  ],
  ['rejects at every event', () => Promise.reject(new Error('my listener'))],
  ['rejects with something that is no error', () => Promise.reject('my listener')],
];

it.each(faults)('a listener that %s changes nothing for the run and the others, and is named once', async (_, fail) => {
  await using rig = await createSessionRig({ provider: createScriptedProvider({ script: script() }), tools: [echo] });
  const [before, after]: [ReinEvent[], ReinEvent[]] = [[], []];
  const failed: string[] = [];
  rig.session.listen((event) => void before.push(event));
  rig.session.listen((event) => {
    failed.push(event.type);
    return fail(event);
  });
  rig.session.listen((event) => void after.push(event));
  expect(await rig.session.run('go')).toMatchObject({ stop: 'completed', text: 'done', turns: 3 });
  const warnings = after.filter(({ type }) => type === 'warning');
  expect(warnings).toEqual([
    expect.objectContaining({
      session: rig.session.id,
      warning: expect.objectContaining({ code: 'E_LISTENER', params: { detail: 'my listener' } }),
    }),
  ]);
  expect(after).toEqual(before);
  expect(failed).toEqual(after.flatMap(({ type }) => (type === 'warning' ? [] : [type])));
});

it('two that fail do not tell each other for ever', async () => {
  await using rig = await createSessionRig({ provider: createScriptedProvider({ script: script() }), tools: [echo] });
  const heard: string[] = [];
  for (const name of ['a', 'b']) {
    rig.session.listen(() => {
      throw new Error(name);
    });
  }
  rig.session.listen((event) => {
    if (event.type === 'warning') heard.push(String(event.warning.params?.detail));
  });
  expect(await rig.session.run('go')).toMatchObject({ stop: 'completed' });
  expect(heard).toEqual(['a', 'b']);
});

it.each(['session', 'harness'] as const)('closing the %s in a run ends the run as aborted', async (what) => {
  const started = Promise.withResolvers<void>();
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    input: z.object({}),
    risk: 'read',
    execute: async (_, { signal }) => {
      started.resolve();
      await once(signal, 'abort');
      return 'ended';
    },
  });
  const provider = createScriptedProvider({ script: [{ calls: [{ name: 'wait', input: {} }] }] });
  await using rig = await createSessionRig({ provider, tools: [wait] });
  const run = rig.session.run('go');
  await started.promise;
  await rig[what].close();
  expect(await run).toMatchObject({ stop: 'aborted', error: { code: 'E_ABORTED' } });
  const { session } = await rig.reopen();
  expect(session.hasOpenRun).toBe(false);
});
