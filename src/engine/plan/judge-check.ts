/** A check that a model proposed passes the gate that the same act of a tool would pass. */
import type { Asked } from '../../protocol/define/graph.ts';
import type { CallResult, Middleware, ToolCall } from '../../protocol/define/middleware.ts';
import type { Tool } from '../../protocol/define/tool.ts';
import type { Decision } from '../../protocol/interrupt.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { contentText } from '../../protocol/message.ts';
import type { Check, CheckResult } from '../../protocol/plan.ts';
import { digestOf } from '../calls/held-call.ts';
import { Suspended } from '../calls/run-effect.ts';
import { compose } from '../compose.ts';
import type { Runtime } from '../runtime.ts';

/** Judges and runs a check; `decision` is the answer to what it asked before. */
export async function judgeAndRun(runtime: Runtime, check: Check, decision?: Decision): Promise<CheckResult | Asked> {
  const { setup, state, abort } = runtime;
  const asTool = toToolCall(check);
  const tool = setup.tools.get(asTool.tool);
  if (!tool) return refused(check, `there is no tool ${asTool.tool}`);
  if (decision?.decision === 'reject') return refused(check, decision.reason ?? 'a person said no');
  const input = (decision?.decision === 'edit' && decision.input) || asTool.input;
  const parsed = tool.parse(input);
  if (!parsed.ok) return refused(check, parsed.error);
  let passed: JsonObject | undefined;
  const gate = setup.middleware.filter(({ name, slot }) => name === 'approval' || slot === 'approval');
  const pass = compose<ToolCall, CallResult>(
    gate.map(
      (one) => (call, next) => (one as unknown as Middleware).wrapToolCall!(call, next, runtime.contextFor(one)),
    ),
    async (call) => {
      passed = call.input;
      return { status: 'ok', content: [] };
    },
  );
  try {
    const sandbox = await setup.sandboxOf(asTool.tool);
    const digest = (value: JsonObject) => digestOf(runtime, asTool.tool, value, sandbox);
    // Whoever edits says yes to what they wrote, where it was to run.
    const shown = state.graph?.asked?.interrupt.call?.input;
    const isEdit = decision?.decision === 'edit' && shown !== undefined && decision.digest === digest(shown);
    const approved = isEdit ? digest(parsed.input) : decision?.digest;
    const result = await pass(createCall({ runtime, tool, digest }, parsed.input, approved));
    if (!passed) return refused(check, contentText(result.content));
  } catch (error) {
    if (error instanceof Suspended) return { ask: error.interrupt };
    throw error;
  }
  return setup.checker.run(withInput(check, passed), abort.signal);
}

function toToolCall(check: Check): { tool: string; input: JsonObject } {
  if ('command' in check) return { tool: 'bash', input: { command: check.command } };
  const path = 'file_exists' in check ? check.file_exists : check.file_matches.path;
  return { tool: 'read_file', input: { file_path: path } };
}

/** As a hook or a person rewrote it. */
function withInput(check: Check, { command, file_path }: JsonObject): Check {
  const { criterion } = check;
  if ('command' in check) return { criterion, command: String(command) };
  if ('file_exists' in check) return { criterion, file_exists: String(file_path) };
  return { criterion, file_matches: { ...check.file_matches, path: String(file_path) } };
}

function refused({ criterion }: Check, why: string): CheckResult {
  return { criterion, ok: false, notRun: true, output: why };
}

interface JudgedCheck {
  readonly runtime: Runtime;
  readonly tool: Tool;
  digest(input: JsonObject): string;
}

function createCall(about: JudgedCheck, input: JsonObject, approved?: string): ToolCall {
  const { runtime, tool, digest } = about;
  const { name } = tool.schema;
  const id = `check-${runtime.state.seq}`;
  return Object.freeze({
    id,
    tool,
    input,
    approved: approved === digest(input) ? approved : undefined,
    with: (changed: JsonObject) => createCall(about, changed, approved),
    suspend(interrupt: Parameters<ToolCall['suspend']>[0]): never {
      throw new Suspended({
        ...interrupt,
        id,
        agent: runtime.setup.agent,
        call: { id, tool: name, input },
        digest: digest(input),
        openedAt: runtime.setup.clock.now(),
      });
    },
  });
}
