/** The rule-based model's answers as a stream. */

import type { ModelEvent } from '../../protocol/define/provider.ts';
import type { AssistantPart } from '../../protocol/message.ts';
import type { ModelRequest } from '../../protocol/request.ts';
import { noUsage } from '../../protocol/usage.ts';
import { nextStep } from './_offline-strategies.ts';
import { type Call, toView } from './_offline-view.ts';

/** Length of one text delta in characters; a delta ends with a line where one ends before. */
const deltaLength = 160;

/** The answer to a request, in deltas; `language` is that of the person. Throws the signal's reason when it aborts. */
export async function* stream(
  request: ModelRequest,
  signal: AbortSignal,
  language?: string,
): AsyncGenerator<ModelEvent> {
  signal.throwIfAborted();
  const step = nextStep(toView(request, language));
  if ('text' in step) {
    for (const text of step.text.match(new RegExp(`[^\\n]{0,${deltaLength}}(?:\\n+|$)|[^\\n]{${deltaLength}}`, 'gu')) ??
      []) {
      signal.throwIfAborted();
      if (text !== '') yield { type: 'text-delta', text };
    }
    yield { type: 'part', part: { type: 'text', text: step.text } };
  } else {
    for (const part of toParts(request, step.calls)) {
      signal.throwIfAborted();
      yield { type: 'part', part };
    }
  }
  signal.throwIfAborted();
  yield { type: 'end', stop: 'text' in step ? 'end' : 'tool-calls', usage: noUsage };
}

/** Calls with ids that are the same for the same request and unlike those of any earlier one. */
function toParts({ session, messages }: ModelRequest, calls: readonly Call[]): AssistantPart[] {
  const seed = hash(`${session} ${messages.length} ${JSON.stringify(messages[0])} ${JSON.stringify(messages.at(-1))}`);
  return calls.map(({ name, input }, index) => ({
    type: 'tool-call',
    id: `off_${seed}_${messages.length}_${index + 1}`,
    name,
    input,
  }));
}

/** FNV-1a over UTF-16 units, as eight hexadecimal digits. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, '0');
}
