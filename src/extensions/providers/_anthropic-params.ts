/**
 * What an Anthropic model takes besides the conversation: output limit, thinking, effort, tool choice, output schema.
 * Models of different generations refuse each other's parameters, so all of it depends on the model's name.
 */
import type { Json, JsonObject } from '../../protocol/json.ts';
import type { Message } from '../../protocol/message.ts';
import type { Effort, ModelRequest } from '../../protocol/request.ts';
import { toAnthropicSchema } from './_anthropic-schema.ts';

const budgets: Readonly<Record<Exclude<Effort, 'off'>, number>> = { low: 4096, medium: 12_288, high: 24_576 };
const leastBudget = 1024;

interface Traits {
  readonly maxOutput: number;
  /** Thinking with a token budget, thinking the model doses itself, or none. */
  readonly thinking: 'none' | 'budget' | 'adaptive';
  /** Thinks unless told otherwise. */
  readonly thinksByDefault: boolean;
  /** Thinking cannot be switched off, and no tool can be forced. */
  readonly alwaysThinks: boolean;
  /** Hides the text of its thinking unless asked for it. */
  readonly hidesThinking: boolean;
  /** Refuses thinking blocks whose conversation changed before them, unless told to drop them. */
  readonly bindsThinking: boolean;
  readonly outputSchema: boolean;
}

/** `claude-opus-4-5-20251101` is 405 of family `opus`; names of other makers have no generation. */
function generationOf(model: string): { family: string; generation: number } | undefined {
  const named = /claude-([a-z]+)-(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/.exec(model);
  if (named) return { family: named[1]!, generation: Number(named[2]) * 100 + Number(named[3] ?? 0) };
  const numbered = /claude-(\d)(?:[-.](\d)(?!\d))?/.exec(model);
  return numbered ? { family: '', generation: Number(numbered[1]) * 100 + Number(numbered[2] ?? 0) } : undefined;
}

function traitsOf(model: string): Traits {
  const { family, generation } = generationOf(model) ?? { family: '', generation: 0 };
  const isFable = family === 'fable' || family === 'mythos';
  return {
    maxOutput: maxOutputOf(family, generation),
    thinking: generation >= 406 ? 'adaptive' : generation === 0 || generation >= 307 ? 'budget' : 'none',
    thinksByDefault: generation >= 500,
    alwaysThinks: isFable || (family === 'opus' && generation >= 505),
    hidesThinking: generation >= 407,
    bindsThinking: generation >= 505 || (isFable && generation >= 501),
    outputSchema: generation >= 405 || (family === 'opus' && generation === 401),
  };
}

function maxOutputOf(family: string, generation: number): number {
  if (generation === 0) return 32_000;
  if (generation < 305) return 4096;
  if (generation < 307) return 8192;
  if (family === 'opus' && generation < 405) return 32_000;
  return 64_000;
}

/** Where a request goes decides which extras are understood: `official` is the maker's own host. */
export interface Target {
  readonly official: boolean;
}

/** The parameters of a request's body that are not part of its prefix, as an object to be written as JSON. */
export function parametersOf(request: ModelRequest, target: Target): JsonObject {
  const traits = traitsOf(request.model);
  const maxTokens = request.maxOutput ?? Math.min(traits.maxOutput, 32_000);
  const choice = toolChoiceOf(request, traits);
  const isForced = choice?.type === 'any' || choice?.type === 'tool';
  const thinking = thinkingOf(request, traits, { maxTokens, isForced, ...target });
  const output: Record<string, Json> = {};
  const effort = effortOf(request.effort, traits);
  if (effort) output.effort = effort;
  const schema = request.outputSchema && traits.outputSchema ? toAnthropicSchema(request.outputSchema) : undefined;
  if (schema) output.format = { type: 'json_schema', schema };
  return {
    max_tokens: maxTokens,
    stream: true,
    ...(thinking && { thinking }),
    ...(Object.keys(output).length > 0 && { output_config: output }),
    ...(choice && { tool_choice: choice }),
  };
}

function effortOf(effort: Effort | undefined, traits: Traits): string | undefined {
  if (!effort || traits.thinking !== 'adaptive') return undefined;
  if (effort !== 'off') return effort;
  return traits.alwaysThinks ? 'low' : undefined;
}

interface ThinkingLimits extends Target {
  readonly maxTokens: number;
  readonly isForced: boolean;
}

function thinkingOf(request: ModelRequest, traits: Traits, limits: ThinkingLimits): JsonObject | undefined {
  const { effort } = request;
  if (traits.thinking === 'none') return undefined;
  if (traits.thinking === 'budget') {
    if (!effort || effort === 'off' || limits.isForced || isUnsignedLoop(request)) return undefined;
    const budget = Math.min(budgets[effort], limits.maxTokens - leastBudget);
    return budget >= leastBudget ? { type: 'enabled', budget_tokens: budget } : undefined;
  }
  const isOff = (effort === 'off' || limits.isForced) && !traits.alwaysThinks;
  if (isOff) return traits.thinksByDefault ? { type: 'disabled' } : undefined;
  if (!effort && !traits.thinksByDefault && !traits.alwaysThinks) return undefined;
  return {
    type: 'adaptive',
    ...(traits.hidesThinking && { display: 'summarized' }),
    // A compaction or a changed tool list changes what stood before a block; then the block is lost, not the session.
    ...(traits.bindsThinking && limits.official && { block_binding: { prefix_mismatch_behavior: 'drop_block' } }),
  };
}

/**
 * True inside a tool loop whose last answer did not begin with thinking of this model (another model, or thinking was
 * off): with a budget, the API refuses such a history.
 */
function isUnsignedLoop({ messages, model }: ModelRequest): boolean {
  const last: Message | undefined = messages.findLast((message) => message.role === 'assistant');
  if (last?.role !== 'assistant' || !last.parts.some((part) => part.type === 'tool-call')) return false;
  const first = last.parts[0];
  return !(last.model.endsWith(`/${model}`) && first?.type === 'reasoning' && first.wire !== undefined);
}

function toolChoiceOf({ toolChoice, tools }: ModelRequest, traits: Traits): JsonObject | undefined {
  if (tools.length === 0 || !toolChoice || toolChoice === 'auto') return undefined;
  if (toolChoice === 'none') return { type: 'none' };
  if (traits.alwaysThinks) return undefined;
  return toolChoice === 'required' ? { type: 'any' } : { type: 'tool', name: toolChoice.tool };
}
