/** Writes the missing end of calls that an earlier run left open into the log, before a new run begins. */

import { defineMiddleware, type OpenCallView } from '../../protocol/define/middleware.ts';
import type { StoredEventOf } from '../../protocol/event.ts';
import type { ResultStatus } from '../../protocol/message.ts';

export default defineMiddleware({
  name: 'repair',
  slot: 'repair',
  beforeAgent({ session }) {
    const events = session.openCalls.filter((call) => !call.result).map(toEnd);
    return events.length > 0 ? { events } : undefined;
  },
});

function toEnd(call: OpenCallView): StoredEventOf<'tool-call-end'> {
  const [status, text] = reasonOf(call);
  const { id, name } = call.part;
  return { type: 'tool-call-end', callId: id, status, content: [{ type: 'text', text: `${name} ${text}` }] };
}

function reasonOf({ part, decision, started }: OpenCallView): readonly [ResultStatus, string] {
  if (part.invalid !== undefined) return ['error', 'was not run: its arguments were malformed, no JSON object.'];
  if (decision?.decision === 'reject') {
    return ['denied', `was not run: the user rejected it${decision.reason ? `: ${decision.reason}` : ''}.`];
  }
  if (started) {
    return ['interrupted', 'was interrupted; whether it took effect is not known. Check before you repeat it.'];
  }
  return ['cancelled', 'was cancelled before it ran: the run it belonged to had ended.'];
}
