import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../protocol/define/tool.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createSessionRig, type SessionRig } from '../testing/session-rig.ts';

let rig: SessionRig | undefined;
afterEach(async () => {
  await rig?.[Symbol.asyncDispose]();
  rig = undefined;
});

describe('trusted context', () => {
  const lookup = defineTool({
    name: 'lookup',
    description: 'Looks up.',
    input: z.object({ what: z.string(), partitionKey: z.string().optional() }),
    context: z.object({ partitionKey: z.string() }),
    risk: 'read',
    execute: (input, { context }) => JSON.stringify({ input, context }),
  });
  const turn = {
    calls: [{ name: 'lookup', input: { what: 'x', partitionKey: 'of another user', __proto__: {}, extra: 1 } }],
  };

  it('security P5: comes from the host; what the model sends in its place never reaches the tool', async () => {
    const provider = createScriptedProvider({ script: [turn, { text: 'done' }] });
    rig = await createSessionRig({ provider, tools: [lookup], context: { partitionKey: 'mine', other: 1 } });
    await rig.session.run('go');
    expect(JSON.parse(provider.requests[1]!.results[0]!.text)).toEqual({
      input: { what: 'x' },
      context: { partitionKey: 'mine' },
    });
    const schema = provider.requests[0]!.request.tools.find(({ name }) => name === 'lookup');
    expect(Object.keys(schema?.input.properties ?? {})).toEqual(['what']);
  });

  it('a host that gave none gets an error result, and the tool does not run', async () => {
    const provider = createScriptedProvider({ script: [turn, { text: 'done' }] });
    rig = await createSessionRig({ provider, tools: [lookup] });
    await rig.session.run('go');
    expect(provider.requests[1]!.results[0]!.text).toContain('context');
  });
});
