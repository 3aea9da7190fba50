/** A call on its way through the onion, bound by a digest to exactly what would run. */
import { digest } from '../../lib/digest.ts';
import type { ToolCall } from '../../protocol/define/middleware.ts';
import type { Tool } from '../../protocol/define/tool.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Runtime } from '../runtime.ts';
import type { OpenCall } from '../session-state.ts';
import { Suspended } from './run-effect.ts';

interface HeldCall {
  readonly open: OpenCall;
  /** What holds it, as `AgentSetup.sandboxOf` says. */
  readonly sandbox: string;
}

/** The call as the onion sees it, approved where a person said yes to exactly `input`. */
export function holdCall(runtime: Runtime, held: HeldCall, input: JsonObject): ToolCall {
  return createCall(runtime, held, input, approvedDigest(runtime, held));
}

/** What a person said yes to: the call as it was shown, or as they edited it. */
function approvedDigest(runtime: Runtime, held: HeldCall): string | undefined {
  const { decision, approved, shown, input } = held.open;
  if (!decision || shown === undefined) return decision && approved;
  // Whoever edits says yes to what they wrote, where it was to run.
  return approved === digestOfHeld(runtime, held, shown) ? digestOfHeld(runtime, held, input) : undefined;
}

function createCall(runtime: Runtime, held: HeldCall, input: JsonObject, approved?: string): ToolCall {
  const { open } = held;
  return Object.freeze({
    id: open.part.id,
    tool: runtime.setup.tools.get(open.part.name) as Tool,
    input,
    approved: approved !== undefined && approved === digestOfHeld(runtime, held, input) ? approved : undefined,
    with: (changed: JsonObject) => createCall(runtime, held, changed, approved),
    suspend(interrupt: Parameters<ToolCall['suspend']>[0]): never {
      throw new Suspended({
        ...interrupt,
        id: `${runtime.log.session}:${open.part.id}:${runtime.state.seq}`,
        agent: runtime.setup.agent,
        call: { id: open.part.id, tool: open.part.name, input },
        digest: digestOfHeld(runtime, held, input),
        openedAt: runtime.setup.clock.now(),
      });
    },
  });
}

function digestOfHeld(runtime: Runtime, { open, sandbox }: HeldCall, input: JsonObject): string {
  return digestOf(runtime, open.part.name, input, sandbox);
}

/** Hash of exactly what would run, and where: `sandbox` as `AgentSetup.sandboxOf` says of the tool. */
export function digestOf({ setup }: Runtime, tool: string, input: unknown, sandbox: string): string {
  return digest({ tool, input, cwd: setup.cwd, sandbox });
}
