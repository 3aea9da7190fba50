/** Reads what the agents of the plan graph answer, and says what is wrong with it in words that a model can use. */
import type { z } from 'zod';
import { findJson } from '../../lib/find-json.ts';
import type { AgentEnd, FinishedCall, GraphTool } from '../../protocol/define/graph.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ActorOutput, Plan, PlanConstraints, PlanStep, Review, StepReport } from '../../protocol/plan.ts';
import { planSchemas } from '../../protocol/plan.ts';
import { toolAliases } from '../../protocol/rule.ts';
import { noJson, toDetail } from '../answer-problem.ts';
import { whyStopped } from '../stop.ts';

export type Read<T> = { readonly value: T } | { readonly problem: string };

const maxProblem = 2000;
const maxText = 2000;

/** The first JSON value of the text that fits; else what is wrong with the likeliest one. */
function readAnswer<T>(text: string, schema: z.ZodType<T>): Read<T> {
  let problem: string | undefined;
  for (const found of findJson(text)) {
    const parsed = schema.safeParse(found);
    if (parsed.success) return { value: parsed.data };
    problem ??= parsed.error.issues
      .slice(0, 10)
      .map(({ path, message }) => `- ${path.join('.') || '(the whole)'}: ${message}`)
      .join('\n');
  }
  if (problem === undefined) return { problem: noJson };
  return { problem: `It does not have the shape that is asked for.\n${problem.slice(0, maxProblem).toWellFormed()}` };
}

/** What is wrong as one sentence, where it was a list under one. */
function onOneLine(problem: string): string {
  return problem
    .replace(/\.\n- /, ': ')
    .replaceAll('\n- ', '; ')
    .replaceAll('\n', ' ');
}

/** What an agent answered. Throws `E_AGENT_ANSWER` where that cannot be used, `E_MAX_TURNS` where it used up its turns. */
export function answerOf<T>(agent: string, { stop, error, text }: AgentEnd, read: Read<T>): T {
  if (stop === 'completed' && 'value' in read) return read.value;
  // Nothing can go on without this answer, and more turns would have brought it.
  if (error?.code === 'E_MAX_TURNS') throw new ReinError(error.code, error.params);
  const problem = stop === 'completed' ? ('problem' in read ? read.problem : text) : whyStopped(stop, error);
  throw new ReinError('E_AGENT_ANSWER', { agent, detail: toDetail(onOneLine(problem)) });
}

/** A plan that can be carried out with these tools. */
export function readPlan(text: string, tools: ReadonlyMap<string, GraphTool>): Read<Plan> {
  const read = readAnswer(text, planSchemas().plan);
  if ('problem' in read) return read;
  const plan = { ...read.value, steps: read.value.steps.map(withOwnNames) };
  const problem = planProblem(plan, tools);
  return problem === undefined ? { value: plan } : { problem };
}

function withOwnNames(step: PlanStep): PlanStep {
  const own = (name: string) => (Object.hasOwn(toolAliases, name) ? toolAliases[name]! : name);
  return {
    ...step,
    required_tool: own(step.required_tool),
    ...(step.allowed_tools && { allowed_tools: step.allowed_tools.map(own) }),
    ...(step.forbidden_tools && { forbidden_tools: step.forbidden_tools.map(own) }),
  };
}

function planProblem({ steps }: Plan, tools: ReadonlyMap<string, GraphTool>): string | undefined {
  const ids = steps.map(({ id }) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) return `The step id ${twice} occurs more than once. Each step needs an id of its own.`;
  for (const { id, required_tool, allowed_tools = [], forbidden_tools = [] } of steps) {
    const named = required_tool === 'none' ? allowed_tools : [required_tool, ...allowed_tools];
    const unknown = named.find((name) => !tools.has(name));
    if (unknown !== undefined) {
      return `Step ${id} names the tool ${unknown}, which is not there. The tools are: ${[...tools.keys()].join(', ')}; or "none".`;
    }
    if (forbidden_tools.includes(required_tool)) return `Step ${id} forbids the tool it requires.`;
  }
  return undefined;
}

/** A step's report out of what an executor said; what is wrong with it otherwise, for the model. */
export function readReport(text: string): Read<StepReport> {
  return readAnswer(text, planSchemas().report);
}

/** A verdict out of what a reviewer said; what is wrong with it otherwise, for the model. */
export function readReview(text: string): Read<Review> {
  return readAnswer(text, planSchemas().review);
}

/** What a step brought, also where its run did not complete. */
export function reportOf(end: AgentEnd): StepReport {
  const { stop, text, error } = end;
  const why = stop === 'rejected' ? whatRefused(end) : whyStopped(stop, error);
  const read = stop === 'completed' ? readReport(text) : { problem: `Not finished: ${why}.` };
  if ('value' in read) return read.value;
  const errors = [read.problem];
  return { status: 'failed', actions_taken: [], artifacts_created: [], errors, result_summary: read.problem };
}

/** Names the call to which a person said no. */
export function whatRefused({ stop, error, calls }: AgentEnd): string {
  const call = calls.findLast(({ status }) => status === 'denied');
  const why = whyStopped(stop, error);
  return call ? `${why}: ${call.tool} ${shorten(JSON.stringify(call.input), maxText)}` : why;
}

/** Tools that a run may use at all. */
export function usableTools(
  tools: ReadonlyMap<string, GraphTool>,
  { allowed_tools, forbidden_tools = [] }: PlanConstraints,
): Map<string, GraphTool> {
  const own = (names: readonly string[] | undefined) =>
    names?.map((name) => (Object.hasOwn(toolAliases, name) ? toolAliases[name]! : name));
  const allowed = own(allowed_tools);
  const forbidden = own(forbidden_tools) ?? [];
  return new Map([...tools].filter(([name]) => (allowed?.includes(name) ?? true) && !forbidden.includes(name)));
}

const ranks = ['read', 'write', 'execute'];

/** Tools for a step: what reads, what is of the kind of its tool or milder, and what it names. */
export function stepTools(tools: ReadonlyMap<string, GraphTool>, step: PlanStep): string[] {
  const { required_tool, allowed_tools = [], forbidden_tools = [] } = step;
  const most = Math.max(0, ranks.indexOf(tools.get(required_tool)?.risk ?? 'read'));
  const fits = ({ name, risk }: GraphTool) => {
    const isMild = ranks.includes(risk) && ranks.indexOf(risk) <= most && !name.startsWith('mcp__');
    return isMild || name === required_tool || allowed_tools.includes(name);
  };
  return [...tools.values()]
    .filter((tool) => fits(tool) && !forbidden_tools.includes(tool.name))
    .map(({ name }) => name);
}

/** The record of a step: the report is the model's word, calls and outputs are the log's. */
export function toActorOutput(
  step: PlanStep,
  report: StepReport,
  { child, calls }: { child: string; calls: readonly FinishedCall[] },
): ActorOutput {
  return {
    step_id: step.id,
    ...report,
    tool_calls: calls.map(({ tool, input }) => ({ tool_name: tool, arguments: shortValues(input) })),
    tool_outputs: calls.map(({ status, output }) => (status === 'ok' ? '' : `${status}: `) + shorten(output, maxText)),
    child,
  };
}

function shortValues(input: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, typeof value === 'string' ? shorten(value, maxText) : value]),
  );
}

/** Head and tail of a long text. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  return `${text.slice(0, half)} ... ${text.slice(-half)}`.toWellFormed();
}
