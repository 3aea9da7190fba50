import { expect, test } from 'vitest';
import type { ReinEvent } from '../../../protocol/event.ts';
import { StreamJson } from './stream-json.ts';

const facts = {
  session: 's',
  cwd: '/w',
  tools: [],
  permissionMode: 'default',
  sandbox: 'proven',
  commands: [],
  skills: [],
  agents: [],
};
const about = { v: 1, time: 0, run: 'r', agent: 'main' } as const;
const text = (value: string) => ({ role: 'assistant', model: 'p/m', parts: [{ type: 'text', text: value }] }) as const;

function linesOf(events: readonly ReinEvent[], partial = false) {
  let id = 0;
  const stream = new StreamJson(facts, { partial, newId: () => `${++id}` });
  return events.flatMap((event) => stream.lines(event));
}

test("a child's lines name the call they belong to", () => {
  const lines = linesOf([
    { ...about, session: 's', seq: 1, type: 'tool-call-start', callId: 'c1', child: 's.1' },
    { ...about, session: 's.1', seq: 1, type: 'message', message: text('From the child.') },
    {
      ...about,
      session: 's.1',
      seq: 2,
      type: 'turn-end',
      model: 'p/m',
      usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
      cost: 0,
      context: { used: 1 },
    },
    {
      ...about,
      session: 's',
      seq: 2,
      type: 'tool-call-end',
      callId: 'c1',
      status: 'error',
      content: [{ type: 'text', text: 'no' }],
    },
  ]);
  expect(lines).toEqual([
    {
      type: 'assistant',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'p/m',
        content: [{ type: 'text', text: 'From the child.' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 },
      },
      parent_tool_use_id: 'c1',
      session_id: 's',
      uuid: '1',
    },
    {
      type: 'user',
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'no' }], is_error: true }],
      },
      parent_tool_use_id: null,
      session_id: 's',
      uuid: '2',
    },
  ]);
});

test('a retry is a line, and ends the message that was being written', () => {
  const error = { code: 'E_PROVIDER_OVERLOADED', params: { status: 529 }, message: '' } as const;
  const lines = linesOf(
    [
      { ...about, session: 's', type: 'text-delta', text: 'Half' },
      { ...about, session: 's', type: 'retry', attempt: 1, delayMs: 500.4, error },
      { ...about, session: 's', type: 'reasoning-delta', text: 'Hm' },
      { ...about, session: 's', type: 'tool-input-delta', callId: 'c1', name: 'ls', text: '{}' },
      { ...about, session: 's', seq: 1, type: 'message', message: { ...text('cut'), incomplete: true } },
      {
        ...about,
        session: 's',
        seq: 2,
        type: 'run-end',
        stop: 'aborted',
        usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        cost: 0,
      },
    ],
    true,
  );
  expect(lines.map(({ type, subtype, event }) => subtype ?? (event as { type?: string })?.type ?? type)).toEqual([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_stop',
    'api_retry',
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_stop',
    'assistant',
  ]);
  expect(lines[5]).toEqual({
    type: 'system',
    subtype: 'api_retry',
    session_id: 's',
    attempt: 1,
    max_retries: 3,
    retry_delay_ms: 500,
    error: 'E_PROVIDER_OVERLOADED',
    error_status: 529,
    uuid: '6',
  });
});
