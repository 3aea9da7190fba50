/** Request bodies at constant cost: head and history are kept as bytes, only what is new is encoded. */
import type { Message } from '../../protocol/message.ts';
import type { PromptSection } from '../../protocol/prompt.ts';
import type { ModelRequest } from '../../protocol/request.ts';
import type { Codec } from './_codec.ts';
import { EncodedHistory } from './_encoded-history.ts';

interface KeptHead {
  readonly request: ModelRequest;
  readonly bytes: Buffer;
  readonly needsComma: boolean;
}

const comma = Buffer.from(',');
const headFields = ['tools', 'model', 'effort', 'maxOutput', 'toolChoice', 'outputSchema'] as const;

/** Makes the bodies of one provider's requests. Pieces must be sent as they are and not written to. */
export class RequestBodies {
  readonly #codec: Codec;
  readonly #provider: string;
  readonly #heads = new WeakMap<readonly PromptSection[], KeptHead>();
  readonly #histories = new WeakMap<readonly Message[], Map<string, EncodedHistory>>();

  constructor(codec: Codec, provider: string) {
    this.#codec = codec;
    this.#provider = provider;
  }

  body(request: ModelRequest): Uint8Array[] {
    const head = this.#head(request);
    const elements = this.#history(request).assemble(
      request.messages,
      request.extra ?? [],
      request.cache?.marks === true,
    );
    const tail = Buffer.from(this.#codec.tail(request));
    const separator = head.needsComma && elements.some((piece) => piece.length > 0) ? [comma] : [];
    return [head.bytes, ...separator, ...elements, tail];
  }

  #head(request: ModelRequest): KeptHead {
    const kept = this.#heads.get(request.sections);
    if (kept && hasSameHead(kept.request, request)) return kept;
    const text = this.#codec.head(request);
    const head = { request, bytes: Buffer.from(text), needsComma: !text.endsWith('[') };
    this.#heads.set(request.sections, head);
    return head;
  }

  /** By model too: what goes back to the model that made it goes to no other. */
  #history({ messages, model }: ModelRequest): EncodedHistory {
    const byModel = this.#histories.get(messages) ?? new Map<string, EncodedHistory>();
    this.#histories.set(messages, byModel);
    const kept = byModel.get(model);
    if (kept?.continues(messages)) return kept;
    const fresh = new EncodedHistory(this.#codec, `${this.#provider}/${model}`);
    byModel.set(model, fresh);
    return fresh;
  }
}

function hasSameHead(a: ModelRequest, b: ModelRequest): boolean {
  return headFields.every((field) => a[field] === b[field]) && a.cache?.marks === b.cache?.marks;
}
