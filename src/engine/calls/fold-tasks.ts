/** Background tasks as the log knows them. Pure. */
import type { StoredEventOf } from '../../protocol/event.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { contentText } from '../../protocol/message.ts';

export interface TaskState {
  /** The child session. */
  readonly id: string;
  /** The call that began it. */
  readonly tool: string;
  readonly input: JsonObject;
  readonly status: 'open' | 'ok' | 'error' | 'cancelled';
  /** Its result, once it has ended. */
  readonly text: string;
}

/** The tasks after the end of one of them was announced. */
export function endTask(tasks: readonly TaskState[], event: StoredEventOf<'message'>): readonly TaskState[] {
  const { task, ended: status = 'ok', message } = event;
  const text = message.role === 'user' ? contentText(message.parts) : '';
  return tasks.map((one) => (one.id === task ? { ...one, status, text } : one));
}
