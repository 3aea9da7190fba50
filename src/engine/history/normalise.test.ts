import { describe, expect, it } from 'vitest';
import type { AssistantMessage, Message, ToolMessage } from '../../protocol/message.ts';
import { userText } from '../../protocol/message.ts';
import { History } from './normalise.ts';

const model = 'scripted/one';
const says = (text: string): AssistantMessage => ({ role: 'assistant', parts: [{ type: 'text', text }], model });
const calls = (...ids: string[]): AssistantMessage => ({
  role: 'assistant',
  parts: ids.map((id) => ({ type: 'tool-call', id, name: 'act', input: {} })),
  model,
});
const results = (...ids: string[]): ToolMessage => ({
  role: 'tool',
  results: ids.map((callId) => ({
    callId,
    name: 'act',
    status: 'ok',
    content: [{ type: 'text', text: `of ${callId}` }],
  })),
});

function normalise(messages: readonly Message[]): readonly Message[] {
  const history = new History();
  for (const message of messages) history.push(message);
  history.close();
  return history.messages;
}

/** What every provider demands of a history. */
function findFault(messages: readonly Message[]): string | undefined {
  if (messages[0] && messages[0].role !== 'user') return 'does not begin with the user';
  for (const [index, message] of messages.entries()) {
    const next = messages[index + 1];
    const asked =
      message.role === 'assistant' ? message.parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : [])) : [];
    const given = next?.role === 'tool' ? next.results.map(({ callId }) => callId) : [];
    if (JSON.stringify(asked) !== JSON.stringify(given)) return `calls ${asked} have the results ${given}`;
    const texts = message.role === 'tool' ? message.results.map(({ content }) => content) : [message.parts];
    if (texts.some((parts) => parts.length === 0)) return `message ${index} is empty`;
    for (const part of texts.flat())
      if (part.type === 'text' && part.text.trim() === '') return `message ${index} has blank text`;
  }
  return undefined;
}

const whole = [
  userText('task'),
  calls('a'),
  results('a'),
  calls('b', 'c'),
  results('b', 'c'),
  userText('mind the step'),
  calls('d'),
  results('d'),
  says('done'),
  userText('more'),
  calls('e'),
  results('e'),
  says('done again'),
];

describe('the history', () => {
  it('stays as it is, object for object, when nothing is wrong', () => {
    const messages = normalise(whole);
    expect(messages).toEqual(whole);
    for (const [index, message] of messages.entries()) expect(message).toBe(whole[index]);
  });

  it('case P17: is valid from whatever message it begins, and with whatever message left out', () => {
    for (const [index] of whole.entries()) {
      expect(findFault(normalise(whole.slice(index)))).toBeUndefined();
      expect(findFault(normalise(whole.slice(0, index)))).toBeUndefined();
      expect(findFault(normalise(whole.toSpliced(index, 1)))).toBeUndefined();
    }
  });

  it('case P13: drops blank text, keeps the call beside it, and drops what says nothing', () => {
    const messages = normalise([
      userText('task'),
      {
        role: 'assistant',
        parts: [
          { type: 'text', text: '\n\n' },
          { type: 'tool-call', id: 'a', name: 'act', input: {} },
        ],
        model,
      },
      { role: 'tool', results: [{ callId: 'a', name: 'act', status: 'ok', content: [{ type: 'text', text: '' }] }] },
      says(' '),
      userText('go on'),
    ]);
    expect(messages).toEqual([
      userText('task'),
      calls('a'),
      {
        role: 'tool',
        results: [{ callId: 'a', name: 'act', status: 'ok', content: [{ type: 'text', text: '(no output)' }] }],
      },
      userText('go on'),
    ]);
  });

  it('case P14: puts results into call order, whatever order they came in', () => {
    const messages = normalise([userText('task'), calls('a', 'b', 'c'), results('c', 'x', 'a')]);
    expect(messages[2]).toMatchObject({
      results: [
        { callId: 'a', status: 'ok' },
        { callId: 'b', status: 'interrupted' },
        { callId: 'c', status: 'ok' },
      ],
    });
  });

  it('case P04: sends an image under the type its bytes show, and no image that is none', () => {
    const image = (mediaType: string, bytes: number[]) => ({
      type: 'image' as const,
      mediaType,
      data: Buffer.from(bytes).toString('base64'),
    });
    const jpeg = [0xff, 0xd8, 0xff, 0xe0];
    const [message] = normalise([
      { role: 'user', parts: [image('image/png', jpeg), image('image/png', [0x7b, 0x7d]), image('image/png', [])] },
    ]);
    expect(message).toMatchObject({
      parts: [{ type: 'image', mediaType: 'image/jpeg' }, { type: 'text' }, { type: 'text' }],
    });
  });

  it('mends broken Unicode in texts and inputs, and names that no provider takes', () => {
    const messages = normalise([
      userText('a\ud800b'),
      {
        role: 'assistant',
        parts: [{ type: 'tool-call', id: 'call 1', name: 'do.it', input: { text: '\udfff', deep: ['\\ud800'] } }],
        model,
      },
      {
        role: 'tool',
        results: [{ callId: 'call_1', name: 'do.it', status: 'ok', content: [{ type: 'text', text: 'x\ud800' }] }],
      },
    ]);
    expect(messages).toEqual([
      userText('a\ufffdb'),
      {
        role: 'assistant',
        parts: [{ type: 'tool-call', id: 'call_1', name: 'do_it', input: { text: '\ufffd', deep: ['\\ud800'] } }],
        model,
      },
      {
        role: 'tool',
        results: [{ callId: 'call_1', name: 'do_it', status: 'ok', content: [{ type: 'text', text: 'x\ufffd' }] }],
      },
    ]);
  });
});
