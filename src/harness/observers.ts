/** Tells observer hooks what happened, from the events of a session. */
import type { ReinEvent } from '../protocol/event.ts';
import type { HookContext, HookEvent, HookInputs } from '../protocol/hook.ts';
import type { JsonObject } from '../protocol/json.ts';
import { contentText, toolCalls } from '../protocol/message.ts';
import type { HookRunner } from '../services/hooks/hook-runner.ts';
import type { Listener } from './session.ts';

interface SeenCall {
  readonly tool: string;
  input: JsonObject;
  started: boolean;
}

/** A listener for one session's events; hooks run one after the other, behind what they watch. */
export function createObserver(hooks: HookRunner, cwd: string): { listener: Listener; settled(): Promise<void> } {
  const calls = new Map<string, SeenCall>();
  let last: Promise<void> = Promise.resolve();

  const tell = <E extends HookEvent>(event: E, input: HookInputs[E], { session, agent }: ReinEvent) => {
    const context: HookContext = { session, cwd, agent, signal: AbortSignal.timeout(600_000) };
    last = last.then(() => hooks.tell(event, input, context));
  };

  const listener: Listener = (event) => {
    if (event.type === 'message' && event.message.role === 'assistant') {
      for (const { id, name, input } of toolCalls(event.message)) {
        calls.set(event.session + id, { tool: name, input, started: false });
      }
    } else if (event.type === 'tool-call-start') {
      const call = calls.get(event.session + event.callId);
      if (call) Object.assign(call, { started: true, input: event.input ?? call.input });
    } else if (event.type === 'tool-call-end') {
      const call = calls.get(event.session + event.callId);
      calls.delete(event.session + event.callId);
      if (!call?.started) return;
      const { tool, input } = call;
      const { callId, status } = event;
      tell('PostToolUse', { tool, input, callId, output: contentText(event.content), status }, event);
    } else if (event.type === 'run-end') tell('Stop', { stop: event.stop }, event);
  };
  return { listener, settled: () => last };
}
