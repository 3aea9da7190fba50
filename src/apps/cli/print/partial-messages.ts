/** What a model is writing, as the stream events of the Messages API. */
import type { ReinEvent } from '../../../protocol/event.ts';
import type { JsonObject } from '../../../protocol/json.ts';

interface OpenMessage {
  /** What the open block holds: `text`, `thinking` or the id of a call. */
  block: string | undefined;
  index: number;
}

/** Deltas as the `stream_event` lines of stream-json: events of the Anthropic Messages stream, block by block. */
export class PartialMessages {
  /** Messages being written, by session. */
  readonly #open = new Map<string, OpenMessage>();

  lines(event: ReinEvent): JsonObject[] {
    switch (event.type) {
      case 'text-delta':
        return this.#delta(event, 'text', { type: 'text', text: '' }, { type: 'text_delta', text: event.text });
      case 'reasoning-delta':
        return this.#delta(
          event,
          'thinking',
          { type: 'thinking', thinking: '', signature: '' },
          { type: 'thinking_delta', thinking: event.text },
        );
      case 'tool-input-delta':
        return this.#delta(
          event,
          event.callId,
          { type: 'tool_use', id: event.callId, name: event.name, input: {} },
          { type: 'input_json_delta', partial_json: event.text },
        );
      // A retry writes the message anew.
      case 'retry':
      case 'message':
        return event.type === 'message' && event.message.role !== 'assistant' ? [] : this.#end(event.session);
      default:
        return [];
    }
  }

  #delta({ session, agent }: ReinEvent, block: string, start: JsonObject, delta: JsonObject): JsonObject[] {
    const lines: JsonObject[] = [];
    let open = this.#open.get(session);
    if (!open) {
      open = { block: undefined, index: -1 };
      this.#open.set(session, open);
      const message = { id: `msg_${agent}`, type: 'message', role: 'assistant', content: [] };
      lines.push({ type: 'message_start', message });
    }
    if (open.block !== block) {
      if (open.block !== undefined) lines.push({ type: 'content_block_stop', index: open.index });
      open.block = block;
      open.index += 1;
      lines.push({ type: 'content_block_start', index: open.index, content_block: start });
    }
    return [...lines, { type: 'content_block_delta', index: open.index, delta }];
  }

  #end(session: string): JsonObject[] {
    const open = this.#open.get(session);
    if (!open) return [];
    this.#open.delete(session);
    return [{ type: 'content_block_stop', index: open.index }, { type: 'message_stop' }];
  }
}
