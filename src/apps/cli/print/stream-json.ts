/** Events as the lines that scripts for Claude's command line read. Pure but for the state of the line being built. */
import { randomUUID } from 'node:crypto';
import { maxModelRetries, type ReinEvent } from '../../../protocol/event.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { AssistantMessage, AssistantPart, ContentPart } from '../../../protocol/message.ts';
import { noUsage, type Usage } from '../../../protocol/usage.ts';
import { PartialMessages } from './partial-messages.ts';
import { toUsage } from './result.ts';

/** What the first line says of the session; the model is known when the run starts. */
export interface SessionFacts {
  readonly session: string;
  readonly cwd: string;
  readonly tools: readonly string[];
  readonly permissionMode: string;
  /** What really holds commands: `proven`, `external`, `none` or `off`. */
  readonly sandbox: string;
  readonly commands: readonly string[];
  readonly skills: readonly string[];
  readonly agents: readonly string[];
}

export interface StreamJsonOptions {
  /** Also what is being written, piece by piece. */
  readonly partial: boolean;
  newId?(): string;
}

/** Events as the lines that Claude Code prints with `--output-format stream-json`. */
export class StreamJson {
  readonly #facts: SessionFacts;
  readonly #newId: () => string;
  readonly #partial: PartialMessages | undefined;
  /** The call that a child session answers, by child. */
  readonly #parents = new Map<string, string>();
  /** Messages whose usage is not known yet, by session. */
  readonly #held = new Map<string, { readonly seq: number; readonly message: AssistantMessage }>();
  #begun = false;

  constructor(facts: SessionFacts, { partial, newId = randomUUID }: StreamJsonOptions) {
    this.#facts = facts;
    this.#newId = newId;
    this.#partial = partial ? new PartialMessages() : undefined;
  }

  /** The lines that an event brings, as objects. */
  lines(event: ReinEvent): JsonObject[] {
    const partial = this.#partial?.lines(event) ?? [];
    const streamed = partial.map((part) => this.#line(event.session, { type: 'stream_event', event: part }));
    return [...streamed, ...this.#release(event), ...this.#own(event)];
  }

  #own(event: ReinEvent): JsonObject[] {
    switch (event.type) {
      case 'run-start':
        return this.#begin(event.model);
      case 'message':
        if (event.message.role === 'assistant' && 'seq' in event) {
          this.#held.set(event.session, { seq: event.seq, message: event.message });
        }
        return [];
      case 'tool-call-start':
        if (event.child !== undefined) this.#parents.set(event.child, event.callId);
        return [];
      case 'tool-call-end': {
        const content: JsonObject[] = event.content.map(toContent);
        const failed: JsonObject = event.status === 'ok' ? {} : { is_error: true };
        const result: JsonObject = { type: 'tool_result', tool_use_id: event.callId, content, ...failed };
        return [this.#line(event.session, { type: 'user', message: { role: 'user', content: [result] } })];
      }
      case 'retry': {
        const { attempt, delayMs, error } = event;
        const about = { attempt, max_retries: maxModelRetries, retry_delay_ms: Math.round(delayMs), error: error.code };
        const status = typeof error.params.status === 'number' ? error.params.status : null;
        return [this.#system('api_retry', { ...about, error_status: status })];
      }
      case 'warning': {
        const { code, params } = event.warning;
        return [this.#system('warning', { warning: { code, params } })];
      }
      case 'compaction':
        return event.summary !== undefined
          ? [this.#system('compact_boundary', { compact_metadata: { trigger: 'auto' } })]
          : [];
      default:
        return [];
    }
  }

  /** A message goes out with its usage, which follows it; one that was cut off has none. */
  #release(event: ReinEvent): JsonObject[] {
    const held = this.#held.get(event.session);
    if (!held || !('seq' in event)) return [];
    this.#held.delete(event.session);
    const usage = event.type === 'turn-end' ? event.usage : noUsage;
    return [this.#line(event.session, { type: 'assistant', message: toMessage(held, usage) })];
  }

  #begin(model: string): JsonObject[] {
    if (this.#begun) return [];
    this.#begun = true;
    const { cwd, tools, permissionMode, sandbox, commands, skills, agents } = this.#facts;
    return [
      this.#system('init', {
        cwd,
        tools: [...tools],
        mcp_servers: [],
        model,
        permissionMode,
        sandbox,
        slash_commands: [...commands],
        skills: [...skills],
        plugins: [],
        agents: [...agents],
        apiKeySource: 'none',
        output_style: 'default',
      }),
    ];
  }

  #system(subtype: string, fields: JsonObject): JsonObject {
    return { type: 'system', subtype, session_id: this.#facts.session, ...fields, uuid: this.#newId() };
  }

  #line(session: string, fields: JsonObject): JsonObject {
    const parent = this.#parents.get(session) ?? null;
    return { ...fields, parent_tool_use_id: parent, session_id: this.#facts.session, uuid: this.#newId() };
  }
}

function toMessage({ seq, message }: { seq: number; message: AssistantMessage }, usage: Usage): JsonObject {
  const calls = message.parts.some((part) => part.type === 'tool-call');
  return {
    id: `msg_${seq}`,
    type: 'message',
    role: 'assistant',
    model: message.model,
    content: message.parts.map(toBlock),
    stop_reason: message.incomplete ? null : calls ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: toUsage(usage),
  };
}

function toBlock(part: AssistantPart): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'reasoning') return { type: 'thinking', thinking: part.text, signature: '' };
  return { type: 'tool_use', id: part.id, name: part.name, input: part.input };
}

function toContent(part: ContentPart): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text };
  return { type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } };
}
