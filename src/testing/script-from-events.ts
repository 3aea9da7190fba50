/** Makes a script of a recorded session, to play it again without a key and to see where requests differ. */
import type { StoredEvent } from '../protocol/event.ts';
import { type AssistantMessage, assistantText, type Message, type ToolResult, toolCalls } from '../protocol/message.ts';
import type { PromptSection, ToolSchema } from '../protocol/prompt.ts';
import type { ModelRequest } from '../protocol/request.ts';
import { createScriptedProvider, type ScriptedProvider } from './scripted-provider.ts';
import type { AnswerTurn } from './turn.ts';

export interface RecordedScript {
  /** One turn for each answer of the model. */
  readonly script: readonly AnswerTurn[];
  /**
   * The first thing of request `index` that differs from the recording (`prompt section base`, `tool read_file`,
   * `message 3`), or undefined. After a compaction messages are not compared.
   */
  check(request: Pick<ModelRequest, 'sections' | 'tools' | 'messages'>, index: number): string | undefined;
}

interface Expected {
  readonly sections: readonly PromptSection[];
  readonly tools: readonly ToolSchema[];
  readonly messages?: readonly Message[];
}

/** The events of the first session in an export (JSONL: a header line, then one event a line). */
export function readExport(text: string): StoredEvent[] {
  const [header, ...lines] = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  if (header?.rein !== 'session') throw new Error('Not an exported session: the first line is no header.');
  const next = lines.findIndex((line) => line.rein === 'session');
  return next < 0 ? lines : lines.slice(0, next);
}

/** Makes the script of one session from its stored events, in order. Children have logs of their own. */
export function scriptFromEvents(events: readonly StoredEvent[]): RecordedScript {
  const script: AnswerTurn[] = [];
  const expected: Expected[] = [];
  const ends = events.filter((event) => event.type === 'turn-end');
  let prompt: Pick<Expected, 'sections' | 'tools'> = { sections: [], tools: [] };
  let messages: Message[] | undefined = [];
  let open: { readonly id: string; readonly name: string }[] = [];
  let results: ToolResult[] = [];
  let held: Message[] = [];

  const push = (message: Message) => {
    if (message.role !== 'assistant') return void (open.length > 0 ? held : (messages ?? [])).push(message);
    expected.push({ ...prompt, messages: messages && [...messages] });
    script.push({ ...toTurn(message), usage: ends[script.length]?.usage });
    messages?.push(message);
    open = toolCalls(message).map(({ id, name }) => ({ id, name }));
    results = [];
  };
  const close = () => {
    const inOrder = open.map((call) => results.find((result) => result.callId === call.id)!);
    messages?.push({ role: 'tool', results: inOrder }, ...held);
    open = [];
    held = [];
  };

  for (const event of events) {
    if (event.type === 'prompt') prompt = { sections: event.sections, tools: event.tools };
    if (event.type === 'compaction' && event.keepFrom > 0) messages = undefined;
    if (event.type === 'message') push(event.message);
    if (event.type === 'tool-call-end') {
      const { callId, status, content } = event;
      const name = open.find((call) => call.id === callId)?.name;
      if (name !== undefined) results.push({ callId, name, status, content });
      if (open.length > 0 && results.length === open.length) close();
    }
  }
  return {
    script,
    check(request, index) {
      const recorded = expected[index];
      return recorded ? firstDifference(recorded, request) : `request ${index} is not in the recording`;
    },
  };
}

/** A provider that plays a recorded session and refuses the first request that differs from it. */
export function createReplayProvider(events: readonly StoredEvent[]): ScriptedProvider {
  const { script, check } = scriptFromEvents(events);
  return createScriptedProvider({
    script,
    check(request, index) {
      const difference = check(request, index);
      return difference && `Request ${index} differs from the recording: ${difference}.`;
    },
  });
}

function toTurn(message: AssistantMessage): AnswerTurn {
  const reasoning = message.parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  const calls = toolCalls(message).map(({ id, name, input, invalid }) => ({ id, name, input, rawArguments: invalid }));
  return { text: assistantText(message), reasoning, calls };
}

function firstDifference(recorded: Expected, request: Expected): string | undefined {
  const section = firstAt(recorded.sections, request.sections);
  if (section >= 0) return `prompt section ${(recorded.sections[section] ?? request.sections[section])!.name}`;
  const tool = firstAt(recorded.tools, request.tools);
  if (tool >= 0) return `tool ${(recorded.tools[tool] ?? request.tools[tool])!.name}`;
  const message = recorded.messages ? firstAt(recorded.messages.map(shown), request.messages!.map(shown)) : -1;
  return message < 0 ? undefined : `message ${message}`;
}

/** What of a message does not depend on who made it. */
function shown(message: Message): unknown {
  if (message.role !== 'assistant') return message;
  return { role: message.role, parts: message.parts.map((part) => ({ ...part, wire: undefined })) };
}

/** Index of the first place at which two lists differ, -1 when they are equal. */
function firstAt(a: readonly unknown[], b: readonly unknown[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    if (JSON.stringify(a[index]) !== JSON.stringify(b[index])) return index;
  }
  return -1;
}
