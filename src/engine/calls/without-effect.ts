/** Results of calls that have no effect: they cannot run, were answered or rejected, or were cut off. */
import type { CallResult } from '../../protocol/define/middleware.ts';
import type { Refusal } from '../../protocol/event.ts';
import type { Runtime } from '../runtime.ts';
import type { OpenCall } from '../session-state.ts';
import { errorResult } from './run-effect.ts';

/** What needs no judging: calls that cannot run, were answered, or were cut off by a crash. */
export function resultWithoutOnion(runtime: Runtime, open: OpenCall): CallResult | undefined {
  const { part, decision, started, child } = open;
  const { tools, interactive } = runtime.setup;
  const tool = tools.get(part.name);
  if (part.invalid !== undefined) {
    return errorResult(
      `The arguments of ${part.name} are not a JSON object: ${excerpt(part.invalid)}. Send the call again.`,
    );
  }
  if (!tool) {
    const names = [...tools.keys()].sort().join(', ');
    return errorResult(`There is no tool named ${part.name}. The tools are: ${names || 'none'}.`);
  }
  if (decision?.decision === 'reject') {
    return rejectedResult(decision.reason, interactive ? 'person' : 'nobody');
  }
  if (decision?.decision === 'answer')
    return { status: 'ok', content: [{ type: 'text', text: decision.answer ?? '' }] };
  if (!started || child) return undefined;
  return tool.idempotent ? undefined : errorResult(interruptedText(part.name), 'interrupted');
}

/** What a call gets that did not come to its end. */
export function endWithoutResult({ part, decision, started }: OpenCall, why: string): CallResult {
  if (decision?.decision === 'reject') return rejectedResult(decision.reason, 'person');
  if (started) return errorResult(`${part.name} was interrupted: ${why}.`, 'interrupted');
  return errorResult(`${part.name} was not run: ${why}.`, 'cancelled');
}

function rejectedResult(reason: string | undefined, refusal: Refusal): CallResult {
  const text = reason ? `The user rejected this call: ${reason}` : 'The user rejected this call.';
  return { ...errorResult(text, 'denied'), refusal };
}

function interruptedText(name: string): string {
  return `${name} was interrupted; whether it took effect is not known. Check before you repeat it.`;
}

function excerpt(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200).toWellFormed()} ...` : text;
}
