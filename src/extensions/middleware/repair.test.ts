import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../protocol/define/tool.ts';
import type { StoredBody } from '../../protocol/event.ts';
import type { AssistantMessage } from '../../protocol/message.ts';
import { createScriptedProvider } from '../../testing/scripted-provider.ts';
import { createSessionRig, type SessionRig } from '../../testing/session-rig.ts';

let rig: SessionRig | undefined;
afterEach(async () => {
  await rig?.[Symbol.asyncDispose]();
});

it('case P18: calls that an ended run left without an end get one in the log, each with its reason, and none runs', async () => {
  const ran: string[] = [];
  const tool = defineTool({
    name: 'act',
    description: 'Acts.',
    input: z.object({}),
    risk: 'execute',
    idempotent: true,
    execute: () => `${ran.push('act')}`,
  });
  const provider = createScriptedProvider({ respond: () => ({ text: 'understood' }) });
  rig = await createSessionRig({ provider, tools: [tool] });
  const { session, harness } = rig;
  const call = (id: string) => ({ type: 'tool-call', id, name: 'act', input: {} }) as const;
  const answer: AssistantMessage = {
    role: 'assistant',
    model: 'scripted/default',
    parts: [call('finished'), call('began'), { ...call('garbled'), invalid: '{"a' }, call('asked'), call('never')],
  };
  const interrupt = {
    id: 'i1',
    kind: 'approval',
    agent: 'main',
    call: { id: 'asked', tool: 'act', input: {} },
    digest: 'd',
    warnings: [],
    openedAt: 0,
  } as const;
  const events: StoredBody[] = [
    { type: 'run-start', driver: 'react', model: 'scripted/default' },
    { type: 'message', message: { role: 'user', parts: [{ type: 'text', text: 'go' }] } },
    { type: 'message', message: answer },
    { type: 'tool-call-start', callId: 'finished' },
    { type: 'tool-call-end', callId: 'finished', status: 'ok', content: [{ type: 'text', text: 'all good' }] },
    { type: 'tool-call-start', callId: 'began' },
    { type: 'interrupt-open', interrupt },
    { type: 'interrupt-close', interruptId: 'i1', decision: { decision: 'reject', digest: 'd', reason: 'too risky' } },
    { type: 'run-end', stop: 'error', usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, cost: 0 },
  ];
  await session.close();
  const log = await (await harness.store()).claim(session.id);
  await log.append(events.map((event) => ({ ...event, run: 'r1', agent: 'main' })));
  await log.release();

  const again = await rig.reopen();
  expect(await again.session.run('and now?')).toMatchObject({ stop: 'completed', text: 'understood' });
  expect(ran).toEqual([]);
  const ends = (await Array.fromAsync(again.session.events())).filter((event) => event.type === 'tool-call-end');
  expect(ends.map(({ callId, status }) => `${callId} ${status}`)).toEqual([
    'finished ok',
    'began interrupted',
    'garbled error',
    'asked denied',
    'never cancelled',
  ]);
  expect(provider.requests[0]!.results.map(({ text }) => text)).toEqual([
    'all good',
    'act was interrupted; whether it took effect is not known. Check before you repeat it.',
    'act was not run: its arguments were malformed, no JSON object.',
    'act was not run: the user rejected it: too risky.',
    'act was cancelled before it ran: the run it belonged to had ended.',
  ]);
  expect(provider.requests[0]!.userTexts.at(-1)).toBe('and now?');
  await again.harness.close();
});
