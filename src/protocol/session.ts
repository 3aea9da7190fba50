/** What is known of a session without reading its log, and what others may send to its runner. */
import type { Decision } from './interrupt.ts';
import type { ContentPart } from './message.ts';

export interface SessionInfo {
  readonly id: string;
  readonly title: string;
  readonly cwd: string;
  /** Name of the agent definition. */
  readonly definition: string;
  /** Milliseconds since the epoch. */
  readonly created: number;
  readonly updated: number;
  /** Sequence number of the last stored event. */
  readonly seq: number;
  readonly parent?: string;
  readonly forkOf?: { readonly session: string; readonly seq: number };
  readonly tenant?: string;
}

export type InboxBody =
  | {
      readonly kind: 'prompt';
      readonly mode: 'steer' | 'next';
      readonly parts: readonly ContentPart[];
      readonly origin?: string;
    }
  | { readonly kind: 'answer'; readonly interruptId: string; readonly decision: Decision }
  | { readonly kind: 'abort'; readonly reason?: string };

/** One row of the inbox; `id` is chosen by the sender, and a second row with the same id changes nothing. */
export type InboxItem = InboxBody & { readonly id: string };
