/** One request to a model. Frozen; its stored prefix (sections, tools, messages) cannot be edited. */
import type { JsonObject } from './json.ts';
import type { Message, UserMessage } from './message.ts';
import type { PromptSection, ToolSchema } from './prompt.ts';

/** Least first. */
export const efforts = ['off', 'low', 'medium', 'high'] as const;
export type Effort = (typeof efforts)[number];

/** What a middleware may change of a request. */
export interface RequestPatch {
  /** Model id without the provider. */
  readonly model?: string;
  readonly effort?: Effort;
  readonly maxOutput?: number;
  /** User messages after the history, for this request only. */
  readonly extra?: readonly UserMessage[];
  /** Where a provider should place cache marks. */
  readonly cache?: CachePlan;
  readonly toolChoice?: ToolChoice;
  readonly outputSchema?: JsonObject;
  /** The answer is for the harness: it is not shown and not kept. */
  readonly internal?: true;
  /** Sends the first so many messages of the history only. */
  readonly upTo?: number;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string };

export interface CachePlan {
  /** Key that routes requests of one session to one cache. */
  readonly key?: string;
  /** Mark the prefix: tools, system, the last block of this and of the previous request. */
  readonly marks: boolean;
}

export interface ModelRequest extends RequestPatch {
  readonly model: string;
  readonly session: string;
  readonly sections: readonly PromptSection[];
  readonly tools: readonly ToolSchema[];
  /**
   * The history. An append-only list: the same array object from request to request, longer each time, until a
   * compaction starts a new one. Codecs keep encoded bytes by its identity.
   */
  readonly messages: readonly Message[];
  with(patch: RequestPatch): ModelRequest;
}

/** Makes a frozen request; `with` gives a changed copy that shares the stored prefix. */
export function createRequest(fields: Omit<ModelRequest, 'with'>): ModelRequest {
  return Object.freeze({
    ...fields,
    with(patch: RequestPatch) {
      const { model, effort, maxOutput, extra, cache, toolChoice, outputSchema, internal } = { ...fields, ...patch };
      const changed = { ...fields, model, effort, maxOutput, extra, cache, toolChoice, outputSchema, internal };
      if (patch.upTo === undefined) return createRequest(changed);
      return createRequest({ ...changed, messages: fields.messages.slice(0, patch.upTo) });
    },
  });
}
