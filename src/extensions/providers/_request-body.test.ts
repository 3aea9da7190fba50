import { describe, expect, test } from 'vitest';
import type { AssistantMessage, Message, ToolMessage } from '../../protocol/message.ts';
import { userText } from '../../protocol/message.ts';
import { createRequest, type ModelRequest } from '../../protocol/request.ts';
import { createChatCodec } from './_chat.ts';
import type { Codec } from './_codec.ts';
import { RequestBodies } from './_request-body.ts';
import { createResponsesCodec } from './_responses.ts';

const sections = [{ name: 'base', text: 'You are Rein. 你好', hash: '1' }];
const tools = [{ name: 'echo', description: 'Says it again.', input: { type: 'object' } }];

function requestOf(messages: readonly Message[], fields: Partial<ModelRequest> = {}): ModelRequest {
  return createRequest({ model: 'm', session: 's', sections, tools, messages, ...fields });
}

function textOf(pieces: readonly Uint8Array[]): string {
  return Buffer.concat(pieces).toString();
}

/** One turn with parallel calls, as the history gets it. */
function turn(index: number): Message[] {
  const ids = [`k${index}a`, `k${index}b`, `k${index}c`];
  const calls = ids.map((id) => ({ type: 'tool-call', id, name: 'echo', input: { text: `“${id}” 👍🏽` } }) as const);
  const reasoning = {
    type: 'reasoning',
    text: 'Hm.',
    wire: { field: 'reasoning', id: `rs${index}`, encrypted_content: 'x' },
  } as const;
  const answer: AssistantMessage = {
    role: 'assistant',
    model: 'p/m',
    parts: [reasoning, { type: 'text', text: `Turn ${index}` }, ...calls],
  };
  const results: ToolMessage = {
    role: 'tool',
    results: ids.map((callId) => ({
      callId,
      name: 'echo',
      status: 'ok',
      content: [{ type: 'text', text: 'x'.repeat(100) }],
    })),
  };
  return index % 10 === 9 ? [answer, results, userText(`go on ${index}`)] : [answer, results];
}

/** Tools, system and items of a body, each as text. */
function unitsOf(body: string): string[] {
  const { tools: declared = [], instructions = '', messages, input } = JSON.parse(body);
  return [...declared, instructions, ...(messages ?? input)].map((unit) => JSON.stringify(unit));
}

const blocks: Codec = {
  ...createChatCodec(),
  head: ({ cache }) => `{"head":${cache?.marks ? 1 : 0},"messages":[`,
  tail: () => '],"tail":true}',
  run: { open: (role) => `{"role":"${role}","content":[`, close: ']}' },
  mark: ',"mark":1',
  encode: (message) =>
    message.role === 'assistant'
      ? message.parts.map((part) => ({
          role: 'assistant',
          json: JSON.stringify({ type: part.type }),
          markable: part.type !== 'reasoning',
        }))
      : message.role === 'user'
        ? message.parts.map((part) => ({ role: 'user', json: JSON.stringify(part), markable: true }))
        : message.results.map(({ callId }) => ({ role: 'user', json: JSON.stringify({ callId }), markable: true })),
};

describe.each([
  ['chat', createChatCodec()],
  ['responses', createResponsesCodec()],
])('the prefix over 50 turns with parallel calls: %s', (_name, codec) => {
  test('every unit stands unchanged at its place, and the bytes are those of a fresh encoding', () => {
    const bodies = new RequestBodies(codec, 'p');
    const messages: Message[] = [userText('start')];
    let before: string[] = [];
    for (let index = 0; index < 50; index++) {
      const request = requestOf(messages, { cache: { marks: true } });
      const body = textOf(bodies.body(request));
      const units = unitsOf(body);
      expect(units.slice(0, before.length)).toEqual(before);
      expect(units.length).toBeGreaterThan(before.length);
      expect(body).toBe(textOf(new RequestBodies(codec, 'p').body(request)));
      expect(textOf(bodies.body(request))).toBe(body);
      before = units;
      messages.push(...turn(index));
    }
  });

  test('what is sent once leaves no trace', () => {
    const bodies = new RequestBodies(codec, 'p');
    const messages: Message[] = [userText('start'), ...turn(0)];
    const plain = textOf(bodies.body(requestOf(messages)));
    const extra = textOf(bodies.body(requestOf(messages, { extra: [userText('remember')] })));
    expect(unitsOf(extra).slice(0, -1)).toEqual(unitsOf(plain));
    expect(unitsOf(extra).at(-1)).toContain('remember');
    expect(textOf(bodies.body(requestOf(messages)))).toBe(plain);
  });
});

test('each message is encoded once, whatever the length of the history', () => {
  const seen = new Map<Message, number>();
  const codec: Codec = {
    ...createChatCodec(),
    encode(message, own) {
      seen.set(message, (seen.get(message) ?? 0) + 1);
      return createChatCodec().encode(message, own);
    },
  };
  const bodies = new RequestBodies(codec, 'p');
  const messages: Message[] = [];
  for (let index = 0; index < 300; index++) {
    messages.push(...turn(index));
    bodies.body(requestOf(messages));
  }
  expect(new Set(seen.values())).toEqual(new Set([1]));
  expect(seen.size).toBe(messages.length);
});

test('the head is rendered once, and anew when something in it changes', () => {
  let heads = 0;
  const codec: Codec = {
    ...createChatCodec(),
    head: (request) => {
      heads += 1;
      return createChatCodec().head(request);
    },
  };
  const bodies = new RequestBodies(codec, 'p');
  const messages = [userText('a')];
  const request = requestOf(messages);
  for (let index = 0; index < 5; index++) bodies.body(requestOf(messages, { extra: [userText(`${index}`)] }));
  expect(heads).toBe(1);
  const patches = [
    { effort: 'high' },
    { maxOutput: 5 },
    { toolChoice: 'none' },
    { outputSchema: {} },
    { model: 'n' },
    { cache: { marks: true } },
  ] as const;
  for (const patch of patches) bodies.body(request.with(patch));
  expect(heads).toBe(1 + patches.length);
});

test('bytes that were handed out stay as they are while the history grows', () => {
  const bodies = new RequestBodies(createChatCodec(), 'p');
  const messages: Message[] = [userText('start')];
  const kept = bodies.body(requestOf(messages));
  const text = textOf(kept);
  for (let index = 0; index < 200; index++) {
    messages.push(...turn(index));
    bodies.body(requestOf(messages));
  }
  expect(textOf(kept)).toBe(text);
});

test('another model gets its own encoding, another list a new one', () => {
  const bodies = new RequestBodies(createChatCodec(), 'p');
  const messages: Message[] = [userText('start'), ...turn(0)];
  const own = textOf(bodies.body(requestOf(messages)));
  const other = textOf(bodies.body(requestOf(messages, { model: 'n' })));
  expect(own).toContain('"reasoning":"Hm."');
  expect(other).not.toContain('reasoning');
  expect(textOf(bodies.body(requestOf(messages)))).toBe(own);
  expect(unitsOf(textOf(bodies.body(requestOf([userText('fresh')])))).at(-1)).toBe('{"role":"user","content":"fresh"}');
});

describe('runs of roles, and marks', () => {
  const marked = { cache: { marks: true } };
  const read = (bodies: RequestBodies, messages: readonly Message[], fields = {}) =>
    JSON.parse(textOf(bodies.body(requestOf(messages, fields))));

  test('neighbours of one role share a message; units for one request join or open one', () => {
    const bodies = new RequestBodies(blocks, 'p');
    const messages: Message[] = [userText('a'), userText('b')];
    const text = (value: string) => ({ type: 'text', text: value });
    expect(read(bodies, messages).messages).toEqual([{ role: 'user', content: [text('a'), text('b')] }]);
    expect(read(bodies, messages, { extra: [userText('c')] }).messages).toEqual([
      { role: 'user', content: [text('a'), text('b'), text('c')] },
    ]);
    messages.push({ role: 'assistant', model: 'p/m', parts: [{ type: 'text', text: 'x' }] });
    expect(read(bodies, messages, { extra: [userText('c')] })).toEqual({
      head: 0,
      messages: [
        { role: 'user', content: [text('a'), text('b')] },
        { role: 'assistant', content: [{ type: 'text' }] },
        { role: 'user', content: [text('c')] },
      ],
      tail: true,
    });
  });

  test('the last markable unit of this request and of the one before', () => {
    const bodies = new RequestBodies(blocks, 'p');
    const marks = (body: { messages: { content: { mark?: number }[] }[] }) =>
      body.messages.flatMap(({ content }) => content).flatMap(({ mark }, index) => (mark ? [index] : []));
    const messages: Message[] = [userText('a')];
    expect(marks(read(bodies, messages, marked))).toEqual([0]);
    expect(marks(read(bodies, messages, marked))).toEqual([0]);
    messages.push(...turn(0));
    expect(marks(read(bodies, messages, { ...marked, extra: [userText('now')] }))).toEqual([0, 8]);
    expect(marks(read(bodies, messages))).toEqual([]);
    messages.push({ role: 'assistant', model: 'p/m', parts: [{ type: 'reasoning', text: 'Hm.' }] });
    expect(marks(read(bodies, messages, marked))).toEqual([0, 8]);
    messages.push(userText('b'));
    expect(marks(read(bodies, messages, marked))).toEqual([8, 10]);
  });
});

test('300 turns cost little', () => {
  const bodies = new RequestBodies(createChatCodec(), 'p');
  const messages: Message[] = [userText('start')];
  const before = process.cpuUsage();
  for (let index = 0; index < 300; index++) {
    bodies.body(requestOf(messages));
    messages.push(...turn(index));
  }
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(0.5);
});

test.each([
  ['chat', createChatCodec()],
  ['responses', createResponsesCodec()],
])('what sessions have in common is encoded once, in turns too: %s', (_wire, codec) => {
  const bodies = new RequestBodies(codec, 'p');
  const talks = ['one', 'two'].map((key) => {
    const messages = [userText(key)];
    return () => bodies.body(requestOf(messages, { session: key, cache: { key, marks: true } }));
  });
  const [first, second, again] = [talks[0]!(), talks[1]!(), talks[0]!()];
  expect([second[0] === first[0], again[0] === first[0]]).toEqual([true, true]);
  expect(textOf(again)).toBe(textOf(first));
  expect(textOf(second)).toBe(textOf(first).replaceAll('one', 'two'));
});
