/** Tells observer hooks what happened, from the events of a session. */

import type { AgentSetup } from '../../engine/ports.ts';
import type { HookContext, HookEvent, HookInputs } from '../../protocol/define/hook.ts';
import type { ReinEvent } from '../../protocol/event.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { contentText, toolCalls } from '../../protocol/message.ts';
import type { HookRunner } from '../../services/hooks/hook-runner.ts';
import type { Listener } from '../listeners.ts';

interface SeenCall {
  readonly tool: string;
  input: JsonObject;
  started: boolean;
}

export interface Observer {
  readonly listener: Listener;
  tell<E extends HookEvent>(event: E, input: HookInputs[E]): void;
  /** Tells that a summary is about to be made; resolves when every hook has been told. */
  beforeCompaction: AgentSetup['beforeCompaction'];
  /** Resolves when every hook has been told. */
  settled(): Promise<void>;
}

/** Hooks of one session run one after the other, behind what they watch. */
export function createObserver(hooks: HookRunner, { id, cwd }: { id: string; cwd: string }): Observer {
  const calls = new Map<string, SeenCall>();
  let last: Promise<void> = Promise.resolve();
  // How long a hook may take is the runner's business.
  const { signal } = new AbortController();

  const tell = <E extends HookEvent>(event: E, input: HookInputs[E], about: { session: string; agent: string }) => {
    if (!hooks.has(event)) return;
    const context: HookContext = { session: about.session, cwd, agent: about.agent, signal };
    last = last.then(() => hooks.tell(event, input, context));
  };

  const listener: Listener = (event) => {
    const isChild = event.session !== id;
    switch (event.type) {
      case 'message':
        if (event.message.role !== 'assistant') return;
        for (const call of toolCalls(event.message)) {
          calls.set(event.session + call.id, { tool: call.name, input: call.input, started: false });
        }
        return;
      case 'tool-call-start': {
        const call = calls.get(event.session + event.callId);
        if (call) Object.assign(call, { started: true, input: event.input ?? call.input });
        return;
      }
      case 'tool-call-end': {
        const call = calls.get(event.session + event.callId);
        calls.delete(event.session + event.callId);
        if (!call?.started) return;
        const { tool, input } = call;
        const { callId, status, content } = event;
        return tell('PostToolUse', { tool, input, callId, output: contentText(content), status }, event);
      }
      case 'interrupt-open':
        return tell('Notification', toNotification(event), event);
      case 'run-start':
        return isChild ? tell('SubagentStart', { agent: event.agent, session: event.session }, event) : undefined;
      case 'run-end': {
        const { agent, session, stop } = event;
        return isChild ? tell('SubagentStop', { agent, session, stop }, event) : tell('Stop', { stop }, event);
      }
    }
  };
  const about = { session: id, agent: 'main' };
  return {
    listener,
    tell: (event, input) => tell(event, input, about),
    beforeCompaction(trigger, where) {
      tell('PreCompact', { trigger }, where);
      return last;
    },
    settled: () => last,
  };
}

function toNotification({ interrupt }: ReinEvent & { type: 'interrupt-open' }): HookInputs['Notification'] {
  const { kind, call, question } = interrupt;
  return { kind, message: question ?? (call ? `${call.tool} waits for approval` : 'a plan waits for approval') };
}
