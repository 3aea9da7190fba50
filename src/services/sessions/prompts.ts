/**
 * Prompts lie in a table of their own, each text once for all sessions that begin with it: those of one folder, and
 * the children of one kind of agent. A row of events names the one it needs.
 */
import { hash } from 'node:crypto';
import type { NewEvent } from '../../engine/ports.ts';
import { decodeJson, encodeJson } from './event-body.ts';
import type { Sql } from './sql.ts';

type PromptEvent = NewEvent & { type: 'prompt' };

/** Sections and tools of one prompt event, encoded. */
export interface PromptText {
  /** SHA-256 of the JSON. */
  readonly hash: Uint8Array;
  readonly body: Uint8Array;
}

/** By the sections of prompts that nobody can change: they are encoded once a process. */
const known = new WeakMap<PromptEvent['sections'], PromptText & { readonly tools: PromptEvent['tools'] }>();

function encodePrompt({ sections, tools }: PromptEvent): PromptText {
  const found = known.get(sections);
  if (found?.tools === tools) return found;
  const json = JSON.stringify({ sections, tools });
  const text = { hash: hash('sha256', json, 'buffer'), body: encodeJson(json) };
  if (Object.isFrozen(sections) && Object.isFrozen(tools)) known.set(sections, { ...text, tools });
  return text;
}

/** The events without the text of their prompt, and that text. There is at most one; others stay where they are. */
export function takePrompt(events: readonly NewEvent[]): { events: readonly NewEvent[]; prompt?: PromptText } {
  const at = events.findIndex(({ type }) => type === 'prompt');
  if (at < 0) return { events };
  const { sections: _sections, tools: _tools, ...rest } = events[at] as PromptEvent;
  return { events: events.with(at, rest as NewEvent), prompt: encodePrompt(events[at] as PromptEvent) };
}

/** The opposite of {@link takePrompt}. Throws where the text is missing or damaged. */
export function putPrompt<E extends { readonly type: string }>(event: E, body: Uint8Array | null): E {
  if (event.type !== 'prompt' || 'sections' in event) return event;
  if (!body) throw new Error('its prompt is missing');
  return { ...event, ...(JSON.parse(decodeJson(body)) as object) };
}

/** Stores a text unless it is there already, in a transaction of the caller's. */
export async function keepPrompt(tx: Sql, { hash, body }: PromptText): Promise<void> {
  await tx.run('INSERT INTO prompts (hash, body) VALUES (?, ?) ON CONFLICT DO NOTHING', [hash, body]);
}

/** Forgets the texts that no row needs any more. */
export async function dropPrompts(tx: Sql): Promise<void> {
  await tx.run('DELETE FROM prompts WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.prompt = prompts.hash)');
}
