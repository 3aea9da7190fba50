/** What drives the runs of a session besides the plain loop: a graph, checks at the end, an answer of a given shape. */
import { noJson } from '../../engine/answer-problem.ts';
import type { AgentSetup, AnswerContract } from '../../engine/ports.ts';
import { findJson } from '../../lib/find-json.ts';
import { type Config, maxSeconds } from '../../protocol/config.ts';
import type { DefinedGraph } from '../../protocol/define/graph.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import type { Check, HarnessState, PlanConstraints } from '../../protocol/plan.ts';
import { compileSchema, type SchemaCheck } from '../../services/json-schema/schema-check.ts';

export interface PlanOptions {
  /** Instead of the plan graph. */
  readonly graph?: DefinedGraph;
  readonly constraints?: PlanConstraints;
  /** Earlier turns; those of the session when absent. */
  readonly sessionContext?: HarnessState['session_context'];
}

export interface DriverOptions {
  /** Runs are driven by the plan graph, or by another one. */
  readonly plan?: boolean | PlanOptions;
  /** The user's own checks, run at the end of each run. */
  readonly verify?: readonly Check[];
  /** JSON Schema of the last words of each run. */
  readonly schema?: JsonObject;
}

type Driven = Pick<AgentSetup, 'driver' | 'graphs' | 'graphInput' | 'answer' | 'verify' | 'maxRetries' | 'limits'>;

/** The part of a setup that says what drives a session's runs. Throws `E_SCHEMA_INVALID`. */
export function createDriver({ plan, verify = [], schema }: DriverOptions, config: Config, provider: string): Driven {
  const { graph, constraints = {}, sessionContext }: PlanOptions = typeof plan === 'object' ? plan : {};
  const { limits, permissions, checks = [] } = config;
  const isPlan = plan !== undefined && plan !== false;
  return {
    driver: isPlan ? `graph:${graph?.name ?? 'plan'}` : 'react',
    graphs: async (name) => (name === graph?.name ? graph : name === 'plan' ? loadPlanGraph() : undefined),
    graphInput: {
      constraints: constraints as JsonObject,
      max_retries: limits.maxRetries,
      llm_provider: provider,
      own_checks: [...checks, ...verify] as unknown as Json,
      plan_only: permissions.mode === 'plan',
      ...(sessionContext && { session_context: sessionContext as unknown as Json }),
    },
    ...(schema && { answer: answerOf(schema) }),
    verify: isPlan ? [] : verify,
    maxRetries: limits.maxRetries,
    limits: stricter(limits, constraints),
  };
}

let planGraph: Promise<DefinedGraph> | undefined;

/** Loaded where a run needs it: a start without a plan does not pay for it. */
function loadPlanGraph(): Promise<DefinedGraph> {
  planGraph ??= import('../../engine/plan/plan-graph.ts').then((module) => module.planGraph);
  return planGraph;
}

function stricter(limits: Config['limits'], constraints: PlanConstraints): AgentSetup['limits'] {
  const least = (a: number | undefined, b: number | undefined) => (a === undefined ? b : Math.min(a, b ?? a));
  return {
    maxTurns: least(limits.maxTurns, constraints.max_turns) ?? limits.maxTurns,
    maxTokens: least(limits.maxTokens, constraints.max_tokens),
    maxBudgetUsd: least(limits.maxBudgetUsd, constraints.max_budget_usd),
    // A timer that is set to more goes off at once.
    timeoutSeconds: least(
      limits.timeoutSeconds,
      constraints.timeout_seconds && Math.min(constraints.timeout_seconds, maxSeconds),
    ),
  };
}

function answerOf(schema: JsonObject): AnswerContract {
  const findProblem = toCheck(schema);
  return {
    schema,
    instruction: `<answer_format>\nWhen all is done, let your last message be one JSON value that fits this JSON Schema, and nothing else:\n${JSON.stringify(schema)}\n</answer_format>`,
    check(text) {
      let problem: string = noJson;
      for (const found of findJson(text)) {
        const wrong = findProblem(found);
        if (wrong === undefined) return undefined;
        problem = `It does not fit the schema.\n${wrong}`;
      }
      return problem;
    },
  };
}

/** The JSON in a text that fits a schema; undefined when there is none. */
export function readStructured(text: string, schema: JsonObject): Json | undefined {
  const findProblem = toCheck(schema);
  for (const found of findJson(text)) if (findProblem(found) === undefined) return found as Json;
  return undefined;
}

function toCheck(schema: JsonObject): SchemaCheck {
  try {
    return compileSchema(schema);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new ReinError('E_SCHEMA_INVALID', { detail }, error);
  }
}
