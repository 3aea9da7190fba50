/** What a compaction makes of the history: a new one, in which all that was sent before may look different. Pure. */
import type { StoredEventOf } from '../../protocol/event.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { type AssistantMessage, type Message, userText } from '../../protocol/message.ts';
import { History } from './normalise.ts';

interface PinnedMessage {
  readonly message: Message;
  readonly seq: number;
}

/** What stands before a summary, word for word. */
export interface Pinned {
  /** What the model was told before anything else. */
  readonly opening?: PinnedMessage;
  /** The first prompt of the session, and that of the newest run. */
  readonly first?: PinnedMessage;
  readonly latest?: PinnedMessage;
}

interface Compacted {
  history: History;
  readonly pinned: Pinned;
  promptStale: boolean;
  context: { readonly used: number; readonly window?: number };
}

/** Puts a new history in the place of the old one; see {@link StoredEventOf}. */
export function foldCompaction(state: Compacted, event: StoredEventOf<'compaction'>): void {
  const { messages, seqs } = state.history;
  const from = firstKept(state.history, event.keepFrom);
  const fresh = new History();
  if (event.kind === 'summary') {
    for (const { message } of standing(state.pinned, seqs[from])) fresh.push(message);
    fresh.push(userText(summaryText(event.summary ?? '')));
    state.promptStale = true;
  } else {
    for (const [index, message] of messages.slice(0, from).entries()) {
      const short = message.role === 'assistant' ? withShortArguments(message, event.maxLength) : message;
      fresh.push(short, seqs[index]);
    }
  }
  for (let index = from; index < messages.length; index++) fresh.push(messages[index]!, seqs[index]);
  state.history = fresh;
  state.context = { ...state.context, used: 0 };
}

/** Index of the first message that stays whole. A result never loses its call: that stays too. */
function firstKept({ messages, seqs }: History, keepFrom: number): number {
  const found = seqs.findIndex((seq) => seq >= keepFrom);
  const index = found < 0 ? messages.length : found;
  return messages[index]?.role === 'tool' ? index - 1 : index;
}

/** What is pinned and not among the kept messages, in order, each once. */
function standing({ opening, first, latest }: Pinned, keptSeq = Number.POSITIVE_INFINITY): PinnedMessage[] {
  const all = [opening, first, latest].filter((one) => one !== undefined);
  return all.filter((one, at) => one.seq < keptSeq && all.indexOf(one) === at);
}

function summaryText(summary: string): string {
  return `<summary>\nWhat happened until here, as you summed it up. The messages themselves are left out; what follows comes after them.\n\n${summary}\n</summary>`;
}

const keptCharacters = 200;
const defaultMaxLength = 2000;

/** The same object when nothing in it is too long. */
function withShortArguments(message: AssistantMessage, maxLength = defaultMaxLength): AssistantMessage {
  const parts = message.parts.map((part) => {
    if (part.type !== 'tool-call') return part;
    const input = shortened(part.input, maxLength) as JsonObject;
    return input === part.input ? part : { ...part, input };
  });
  return parts.every((part, index) => part === message.parts[index]) ? message : { ...message, parts };
}

function shortened(value: Json, maxLength: number): Json {
  if (typeof value === 'string') {
    if (value.length <= maxLength) return value;
    const kept = value.slice(0, keptCharacters).toWellFormed();
    return `${kept} ...(${value.length - keptCharacters} characters of this argument are left out)`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => shortened(item, maxLength));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const entries = Object.entries(value).map(([name, inner]) => [name, shortened(inner as Json, maxLength)] as const);
  return entries.every(([name, inner]) => inner === (value as JsonObject)[name]) ? value : Object.fromEntries(entries);
}
