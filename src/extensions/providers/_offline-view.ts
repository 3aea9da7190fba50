/** What the offline model knows of a request: the question, its language and what the tools returned so far. */
import type { JsonObject } from '../../protocol/json.ts';
import { contentText, type Message, type ResultStatus, toolCalls, type UserMessage } from '../../protocol/message.ts';
import type { ModelRequest } from '../../protocol/request.ts';
import { type Language, languageOf } from './_offline-language.ts';

/** A tool call with what it returned. */
export interface Outcome {
  readonly name: string;
  readonly input: JsonObject;
  readonly status: ResultStatus;
  readonly text: string;
}

export interface Call {
  readonly name: string;
  readonly input: JsonObject;
}

/** What a strategy does next: call tools, or answer. */
export type Step = { readonly calls: readonly Call[] } | { readonly text: string };

export interface View {
  readonly prompt: string;
  /** Earlier questions of the session, newest first. */
  readonly earlier: readonly string[];
  readonly language: Language;
  /** The language of the person, for a question that does not show its own. */
  readonly preferred?: string;
  /** Model turns already made for this prompt; grows with every turn, so that no strategy can loop. */
  readonly turn: number;
  readonly outcomes: readonly Outcome[];
  readonly tools: ReadonlySet<string>;
}

/** What the rules look at, out of a request; see {@link View.preferred}. */
export function toView(request: ModelRequest, preferred?: string): View {
  const { messages } = request;
  const asked = messages.map((message) => (message.role === 'user' ? promptText(message) : ''));
  const at = asked.findLastIndex((text) => text !== '');
  const prompt = asked[at] ?? '';
  const turn = messages.slice(at + 1).filter((message) => message.role === 'assistant').length;
  const tools = request.toolChoice === 'none' ? [] : request.tools.map((tool) => tool.name);
  return {
    prompt,
    earlier: asked
      .slice(0, Math.max(at, 0))
      .filter((text) => text !== '')
      .reverse(),
    language: languageOf(prompt, preferred),
    preferred,
    turn,
    outcomes: outcomesOf(messages.slice(runStart(messages, at))),
    tools: new Set(tools),
  };
}

/** Index of the first message of the run: a prompt that steers a running run does not begin a new one. */
function runStart(messages: readonly Message[], at: number): number {
  const answered = messages.findLastIndex(
    (message, index) => index < at && message.role === 'assistant' && toolCalls(message).length === 0,
  );
  return answered + 1;
}

/** A message's own words: blocks in tags are context that the harness adds. */
function promptText(message: UserMessage): string {
  const text = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  return withoutBlocks(text).trim();
}

/** Each tag that is never closed is looked for once: a page of HTML may have thousands. */
function withoutBlocks(text: string): string {
  const open = new Set<string>();
  let kept = '';
  let from = 0;
  for (const { 0: tag, 1: name = '', index } of text.matchAll(/<([a-z][\w-]*)(?:\s[^<>]*)?>/g)) {
    if (index < from || open.has(name)) continue;
    const close = `</${name}>`;
    const end = text.indexOf(close, index + tag.length);
    if (end === -1) open.add(name);
    else {
      kept += text.slice(from, index);
      from = end + close.length;
    }
  }
  return kept + text.slice(from);
}

function outcomesOf(messages: readonly Message[]): Outcome[] {
  const calls = new Map<string, Call>();
  const outcomes: Outcome[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') for (const call of toolCalls(message)) calls.set(call.id, call);
    if (message.role !== 'tool') continue;
    for (const { callId, name, status, content } of message.results) {
      outcomes.push({ name, input: calls.get(callId)?.input ?? {}, status, text: contentText(content) });
    }
  }
  return outcomes;
}
