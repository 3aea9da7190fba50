/** Servers that keep the frame of their wire and put anything into its fields. */
import { describe, expect, test } from 'vitest';
import type { ModelEvent } from '../../protocol/define/provider.ts';
import { ReinError } from '../../protocol/errors.ts';
import { userText } from '../../protocol/message.ts';
import { createRequest } from '../../protocol/request.ts';
import { startModelServer } from '../../testing/scripted-server.ts';
import type { WireName } from '../../testing/wires/wire.ts';
import { startStub } from './__fixtures__/stub-server.ts';
import { createByWire } from './_by-wire.ts';

const wires: readonly WireName[] = ['chat', 'responses', 'anthropic', 'gemini'];
const odd = [null, 5, -1, '', {}, [null], true, '__proto__'];

/** The events of a good answer on this wire, as text. */
async function goodAnswer(wire: WireName): Promise<string[]> {
  const answer = { text: 'hello', reasoning: 'think', calls: [{ name: 'ls', input: { a: 1 } }] };
  await using server = await startModelServer({ respond: () => answer });
  let body = '';
  await using proxy = await startStub(async (response, _index, request) => {
    const url = new URL(server.url(wire)).origin + request.path;
    const headers = { ...(request.headers as Record<string, string>), host: new URL(url).host };
    const answered = await fetch(url, { method: 'POST', headers, body: request.body });
    body = await answered.text();
    response.end(body);
  });
  await collect(wire, proxy.url + new URL(server.url(wire)).pathname);
  return body.split(/(?<=\n\n)/);
}

async function collect(wire: WireName, baseUrl: string): Promise<{ out: ModelEvent[]; thrown?: unknown }> {
  const out: ModelEvent[] = [];
  const tools = [{ name: 'ls', description: 'Lists.', input: { type: 'object', properties: {} } }];
  const request = createRequest({ model: 'm', session: 's', sections: [], tools, messages: [userText('hi')] });
  try {
    const provider = await createByWire(wire, 'pear', { baseUrl: baseUrl.replace(/\/$/, ''), apiKey: 'k' });
    for await (const event of provider.stream(request, new AbortController().signal)) out.push(event);
    return { out };
  } catch (thrown) {
    return { out, thrown };
  }
}

type Path = readonly string[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...pathsOf(inner, [...path, key])]);
}

function withValue(event: string, path: Path, value: unknown): string {
  const [, before, data] = /^([\s\S]*?data: ?)([\s\S]*)$/.exec(event)!;
  const whole = JSON.parse(data!) as Record<string, unknown>;
  let node = whole;
  for (const step of path.slice(0, -1)) node = node[step] as Record<string, unknown>;
  node[path.at(-1)!] = value;
  return `${before}${JSON.stringify(whole)}\n\n`;
}

function isSound(event: ModelEvent): boolean {
  const text = (value: unknown) => typeof value === 'string';
  if (event.type === 'end') return Object.values(event.usage).every((count) => Number.isInteger(count) && count >= 0);
  if (event.type !== 'part') return text(event.text);
  return event.part.type === 'tool-call' ? text(event.part.id) && text(event.part.name) : text(event.part.text);
}

describe('any field of any event with a value of another kind', () => {
  test.each(wires)('%s: sound events, or an error of the provider', { timeout: 60_000 }, async (wire) => {
    const events = await goodAnswer(wire);
    let body = '';
    await using server = await startStub((response) => void response.end(body));
    const wrong: unknown[] = [];
    for (const [index, event] of events.entries()) {
      const data = /data: ?(\{[\s\S]*\})/.exec(event)?.[1];
      for (const path of data === undefined ? [] : pathsOf(JSON.parse(data))) {
        for (const value of odd) {
          body = events.with(index, withValue(event, path, value)).join('');
          const { out, thrown } = await collect(wire, server.url);
          const isNamed = thrown === undefined || (ReinError.is(thrown) && thrown.code.startsWith('E_PROVIDER_'));
          if (!isNamed || !out.every(isSound)) wrong.push({ index, path: path.join('.'), value, thrown, out });
        }
      }
    }
    expect(events.length).toBeGreaterThan(3);
    expect(wrong).toEqual([]);
  });
});

describe('security L6: a call nested without end is a call that is told to be invalid', () => {
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  const invalid = [{ type: 'tool-call', name: 'ls', input: {}, invalid: '[nested deeper than 500 levels]' }];
  const partsOf = (out: ModelEvent[]) => out.filter((event) => event.type === 'part').map(({ part }) => part);

  test.each(['chat', 'responses', 'anthropic'] as const)('%s: arguments as text', async (wire) => {
    await using server = await startModelServer({ respond: () => ({ calls: [{ name: 'ls', rawArguments: deep }] }) });
    const { out, thrown } = await collect(wire, server.url(wire));
    expect({ thrown, parts: partsOf(out) }).toMatchObject({ thrown: undefined, parts: invalid });
  });

  test('gemini: arguments as a value', async () => {
    const parts = `[{"functionCall":{"name":"ls","args":${deep}}}]`;
    const body = `data: {"candidates":[{"content":{"role":"model","parts":${parts}},"finishReason":"STOP"}]}\n\n`;
    await using server = await startStub((response) => void response.end(body));
    const { out, thrown } = await collect('gemini', server.url);
    expect({ thrown, parts: partsOf(out) }).toMatchObject({ thrown: undefined, parts: invalid });
  });
});
