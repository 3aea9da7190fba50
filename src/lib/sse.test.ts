import { describe, expect, test } from 'vitest';
import { createSseReader, type SseEvent } from './sse.ts';

const encoder = new TextEncoder();

function read(pieces: readonly Uint8Array[], maxBytes?: number): SseEvent[] {
  const events: SseEvent[] = [];
  const reader = createSseReader(maxBytes);
  for (const piece of pieces) reader.feed(piece, (event) => events.push(event));
  reader.end((event) => events.push(event));
  return events;
}

function bytewise(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (byte) => Uint8Array.of(byte));
}

function twoPieces(bytes: Uint8Array): Uint8Array[][] {
  return Array.from({ length: bytes.length + 1 }, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)]);
}

const bodies: Record<string, { text: string; events: SseEvent[] }> = {
  'LF lines': {
    text: 'data: a\n\ndata:b\n\n',
    events: [
      { event: '', data: 'a' },
      { event: '', data: 'b' },
    ],
  },
  'CRLF lines, a comment and a character of three bytes': {
    text: ': ping\r\n\r\nevent: x\r\ndata: 你好👍🏽\r\n\r\n',
    events: [{ event: 'x', data: '你好👍🏽' }],
  },
  'CR lines': {
    text: 'event: x\rdata: a\rdata: b\r\rdata: c\r\r',
    events: [
      { event: 'x', data: 'a\nb' },
      { event: '', data: 'c' },
    ],
  },
  'a byte order mark': { text: '\uFEFFdata: a\n\n', events: [{ event: '', data: 'a' }] },
  'several data lines that form one JSON text': {
    text: 'data: {"a":\ndata: "你"}\n\n',
    events: [{ event: '', data: '{"a":\n"你"}' }],
  },
  'fields it does not know, names that only begin alike, empty data': {
    text: 'id: 7\nretry: 10\ndatabase: no\neventual: no\ndata\ndata:\ndata:  x\n\n',
    events: [{ event: '', data: '\n\n x' }],
  },
  'an event name without data': { text: 'event: x\n\ndata: a\n\n', events: [{ event: '', data: 'a' }] },
  'a last event without its blank line': {
    text: 'data: a\n\ndata: [DONE]',
    events: [
      { event: '', data: 'a' },
      { event: '', data: '[DONE]' },
    ],
  },
  nothing: { text: '', events: [] },
};

describe('case P10: the same events however the bytes are cut', () => {
  test.each(Object.entries(bodies))('%s', (_name, { text, events }) => {
    const bytes = encoder.encode(text);
    expect(read([bytes])).toEqual(events);
    expect(read(bytewise(bytes))).toEqual(events);
    for (const pieces of twoPieces(bytes)) expect(read(pieces)).toEqual(events);
  });
});

test('an event above the limit is refused, in one line or in many', () => {
  expect(() => read([encoder.encode(`data: ${'x'.repeat(50)}`)], 40)).toThrow(RangeError);
  expect(() => read([encoder.encode('data: 0123456789\n'.repeat(5))], 40)).toThrow(RangeError);
  expect(read([encoder.encode('data: 0123456789\n\n'.repeat(5))], 40)).toHaveLength(5);
});

test('20,000 small chunks cost little, also in tiny pieces of one huge event', () => {
  const chunk = encoder.encode(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'word ' } }] })}\n\n`);
  const reader = createSseReader();
  let length = 0;
  const before = process.cpuUsage();
  for (let i = 0; i < 20_000; i++) {
    reader.feed(chunk, (event) => {
      length += JSON.parse(event.data).choices[0].delta.content.length;
    });
  }
  const used = process.cpuUsage(before);
  expect(length).toBe(100_000);
  expect((used.user + used.system) / 1e6).toBeLessThan(0.5);

  const huge = encoder.encode(`data: ${'x'.repeat(4_000_000)}\n\n`);
  const start = process.cpuUsage();
  let data = '';
  for (let at = 0; at < huge.length; at += 64) {
    reader.feed(huge.subarray(at, at + 64), (event) => {
      data = event.data;
    });
  }
  expect(data).toHaveLength(4_000_000);
  expect(process.cpuUsage(start).user / 1e6).toBeLessThan(1);
});
