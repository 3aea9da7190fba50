import { describe, expect, it } from 'vitest';
import type { Tool } from '../protocol/define/tool.ts';
import { ReinError } from '../protocol/errors.ts';
import type { ReinEvent } from '../protocol/event.ts';
import { contentText, type Message } from '../protocol/message.ts';
import type { InboxItem } from '../protocol/session.ts';
import { noUsage } from '../protocol/usage.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createFakeClock } from '../testing/time.ts';
import type { Turn } from '../testing/turn.ts';
import { advance } from './advance.ts';
import { createBudget } from './budget.ts';
import type { AgentSetup, ChildOutcome, NewEvent, SessionLog } from './ports.ts';
import { Runtime } from './runtime.ts';

/** A log in memory that remembers each append. */
function createLog(items: InboxItem[]) {
  const appends: string[][] = [];
  let seq = 0;
  let fenced = false;
  const log: SessionLog = {
    session: 's1',
    get inboxPending() {
      return items.length > 0;
    },
    inbox: async () => items,
    inboxArrival: () => new Promise(() => {}),
    append: async (events: readonly NewEvent[], { taken = [] } = {}) => {
      if (fenced) throw new ReinError('E_SESSION_FENCED', { session: 's1' });
      appends.push(events.map(({ type }) => type));
      const gone = new Set([
        ...taken,
        ...events.flatMap((event) => ('inbox' in event && event.inbox ? [event.inbox] : [])),
      ]);
      for (let index = items.length - 1; index >= 0; index--) if (gone.has(items[index]!.id)) items.splice(index, 1);
      return events.map((event) => ({ ...event, v: 1 as const, session: 's1', time: 0, seq: ++seq }));
    },
  };
  return { log, appends, fence: () => (fenced = true) };
}

const act: Tool = {
  schema: { name: 'act', description: 'Acts.', input: { type: 'object' } },
  risk: 'read',
  idempotent: false,
  parse: (input) => ({ ok: true, input }),
  execute: async () => 'done',
};

function typed(text: string, mode: 'steer' | 'next'): InboxItem {
  return { id: text, kind: 'prompt', mode, parts: [{ type: 'text', text }] };
}

function createRuntime(script: readonly Turn[], tool: Tool = act) {
  const items: InboxItem[] = [typed('go', 'next')];
  const { log, appends, fence } = createLog(items);
  const clock = createFakeClock();
  const events: ReinEvent[] = [];
  const provider = createScriptedProvider({ script });
  const setup = {
    agent: 'main',
    definition: 'main',
    cwd: '/w',
    driver: 'react',
    models: [{ provider, info: { id: 'm' } }],
    tools: new Map([['act', tool]]),
    middleware: [],
    limits: { maxTurns: 50 },
    interactive: false,
    host: { workspace: {}, commands: {} },
    sandboxOf: () => 'off',
    context: {},
    sections: async () => [{ name: 'base', text: 'You act.' }],
    opening: async () => '',
    redact: (text: string) => text,
    guard: <T>(value: T) => value,
    clock,
    newId: () => 'id',
    random: () => 0,
    emit: (event: ReinEvent) => void events.push(event),
    listening: () => true,
  } as unknown as AgentSetup;
  const runtime = new Runtime(log, setup, createBudget(clock, { tokens: 0, cost: 0 }));
  return { runtime, log, items, appends, fence, events, provider };
}

async function toEnd(runtime: Runtime): Promise<void> {
  while ((await advance(runtime)) === 'again');
}

const calls = (...names: string[]): Turn => ({ calls: names.map((name) => ({ name: 'act', input: { name } })) });
const twoCalls = calls('a', 'b');

const userWords = (message: Message) => (message.role === 'user' ? contentText(message.parts) : '');

/** Tells the running agent something, and something else while its inbox is being read. */
function steerTwice({ log, items, runtime }: ReturnType<typeof createRuntime>): void {
  const steer = (text: string) => {
    items.push(typed(text, 'steer'));
    runtime.wakeUp();
  };
  const { inbox } = log;
  log.inbox = async () => {
    const read = [...(await inbox())];
    if (read.some(({ id }) => id === 'first')) steer('second');
    return read;
  };
  steer('first');
}

describe('advance', () => {
  it('stores two appends a turn whose calls finish together', async () => {
    const { runtime, appends } = createRuntime([twoCalls, calls('c', 'd'), { text: 'end' }]);
    await toEnd(runtime);
    expect(appends.slice(-5)).toEqual([
      ['message', 'turn-end', 'tool-call-start', 'tool-call-start'],
      ['tool-call-end', 'tool-call-end'],
      ['message', 'turn-end', 'tool-call-start', 'tool-call-start'],
      ['tool-call-end', 'tool-call-end'],
      ['message', 'turn-end', 'run-end'],
    ]);
    expect(appends.slice(0, -5).flat()).toEqual(['run-start', 'message', 'prompt']);
  });

  it('writes ahead: an effect begins after its start is stored, and the model sees a result after it is', async () => {
    const { runtime, appends, provider } = createRuntime([twoCalls, { text: 'end' }], {
      ...act,
      execute: async () => {
        seen.push(appends.flat().filter((type) => type === 'tool-call-start').length);
        return 'done';
      },
    });
    const seen: number[] = [];
    await toEnd(runtime);
    expect(seen).toEqual([2, 2]);
    expect(provider.requests[1]?.results).toHaveLength(2);
  });

  it('a runner that lost its epoch stops at once, has changed nothing and starts no effect', async () => {
    let ran = 0;
    const { runtime, appends, fence } = createRuntime([twoCalls, { text: 'end' }], {
      ...act,
      execute: async () => `${++ran}`,
    });
    await advance(runtime);
    await runtime.flush();
    const before = appends.length;
    fence();
    await expect(toEnd(runtime)).rejects.toMatchObject({ code: 'E_SESSION_FENCED' });
    await expect(advance(runtime)).rejects.toMatchObject({ code: 'E_SESSION_FENCED' });
    expect(ran).toBe(0);
    expect(appends).toHaveLength(before);
  });

  it('calls with one queue key run one after the other, in call order; others beside them', async () => {
    const log: string[] = [];
    const { runtime } = createRuntime([calls('a1', 'a2', 'b1'), { text: 'end' }], {
      ...act,
      queueKey: (input) => String(input.name)[0],
      execute: async ({ name }) => {
        log.push(`begin ${name}`);
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`end ${name}`);
        return '';
      },
    });
    await toEnd(runtime);
    expect(log.slice(0, 2)).toEqual(['begin a1', 'begin b1']);
    expect(log.filter((line) => !line.endsWith('b1'))).toEqual(['begin a1', 'end a1', 'begin a2', 'end a2']);
  });

  it('what arrives while the inbox is being read is taken while a call still runs', async () => {
    const both = Promise.withResolvers<string>();
    const rig = createRuntime([calls('a'), { text: 'end' }], {
      ...act,
      execute: () => {
        steerTwice(rig);
        return both.promise;
      },
    });
    const told: string[] = [];
    const emit = (event: ReinEvent) => {
      if (event.type === 'message' && event.origin === 'steer') told.push(userWords(event.message));
      if (told.length === 2) both.resolve('done');
    };
    Object.assign(rig.runtime.setup, { emit });
    await toEnd(rig.runtime);
    expect(told).toEqual(['first', 'second']);
  });

  it('what arrives just before the run would wait for a background task is taken at once', async () => {
    const task = Promise.withResolvers<ChildOutcome>();
    const rig = createRuntime([calls('a'), { text: 'so far' }, { text: 'heard' }, { text: 'end' }], {
      ...act,
      delegate: () => ({ agent: 'general', prompt: 'p', background: true }),
    });
    const { items, log, runtime } = rig;
    const told: string[] = [];
    const emit = (event: ReinEvent) => {
      if (event.type !== 'message' || event.origin !== 'steer') return;
      told.push(userWords(event.message));
      task.resolve({ status: 'ok', text: 'found', usage: noUsage, cost: 0, stop: 'completed', calls: [] });
    };
    Object.assign(runtime.setup, { emit, children: { run: () => task.promise } });
    while (!runtime.state.answered) await advance(runtime);
    const { inbox } = log;
    log.inbox = async () => {
      const read = [...(await inbox())];
      if (told.length === 0 && read.length === 1) items.push(typed('hurry', 'steer'));
      return read;
    };
    items.push(typed('later', 'next'));
    while (runtime.state.run) await advance(runtime);
    expect(told).toEqual(['hurry']);
  });

  it('an abort that arrives between two steps ends the run and is taken with it', async () => {
    const { runtime, provider } = createRuntime([twoCalls, { text: 'end' }]);
    await advance(runtime);
    runtime.abort.abort(new ReinError('E_ABORTED'));
    await toEnd(runtime);
    expect(runtime.state.lastRun).toMatchObject({ stop: 'aborted' });
    expect(provider.requests).toEqual([]);
  });

  it('an abort that arrives while a question is being stored ends the run: it does not wait for an answer', async () => {
    const { runtime } = createRuntime([calls('a')], { ...act, ask: () => ({ question: { text: 'Which?' } }) as never });
    const emit = ({ type }: ReinEvent) => type === 'interrupt-open' && runtime.abort.abort(new ReinError('E_ABORTED'));
    Object.assign(runtime.setup, { interactive: true, emit });
    await toEnd(runtime);
    expect(runtime.state.lastRun).toMatchObject({ stop: 'aborted' });
  });
});
