/** What a strict Anthropic Messages server refuses. */
import { isObject } from '../../lib/is-object.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { allBlocks, alternatingRoles, isBlank, streaming, strictRules } from './common-rules.ts';
import { objectsOf, type Rule, sign, textOf } from './wire.ts';

const fields =
  'model messages system max_tokens tools tool_choice stream thinking output_config temperature top_p top_k stop_sequences metadata service_tier container mcp_servers context_management cache_control';

/** `model`, `messages` and `max_tokens` are there; roles are `user` and `assistant`. */
const requiredFields: Rule = {
  name: 'required-fields',
  check({ body }) {
    if (textOf(body.model) === '') return 'model is missing.';
    if (!Number.isInteger(body.max_tokens) || Number(body.max_tokens) < 1) return 'max_tokens is missing.';
    const messages = objectsOf(body.messages);
    if (messages.length === 0) return 'messages is missing or empty.';
    const index = messages.findIndex((message) => message.role !== 'user' && message.role !== 'assistant');
    return index < 0 ? undefined : `Message ${index} has the role ${JSON.stringify(messages[index]!.role)}.`;
  },
};

/** Each tool has a schema of type object. */
const toolShape: Rule = {
  name: 'tool-shape',
  check({ view }) {
    const bad = view.tools.find((tool) => !isObject(tool.schema) || tool.schema.type !== 'object');
    return bad && `input_schema of tool ${bad.name} has no type object.`;
  },
};

/** In a message with results, the results stand first. */
const resultsFirst: Rule = {
  name: 'results-first',
  check({ view }) {
    for (const [index, { blocks }] of view.entries.entries()) {
      const last = blocks.findLastIndex((block) => block.kind === 'result');
      if (blocks.slice(0, Math.max(last, 0)).some((block) => block.kind !== 'result')) {
        return `Message ${index} has a block in front of a tool_result.`;
      }
    }
    return undefined;
  },
};

/** Ids of calls match `^[A-Za-z0-9_-]+$`. */
const callIdForm: Rule = {
  name: 'call-id-form',
  check({ view }) {
    const blocks = view.entries.flatMap((entry) => entry.blocks);
    const bad = blocks.find((block) => block.kind === 'call' && !/^[A-Za-z0-9_-]+$/.test(block.id));
    return bad && `tool_use id ${JSON.stringify((bad as { id: string }).id)} does not match ^[A-Za-z0-9_-]+$.`;
  },
};

/** Thinking goes back unaltered, to the model that made it. */
const thinkingUnaltered: Rule = {
  name: 'thinking-unaltered',
  check({ view }) {
    const blocks = view.entries.flatMap((entry) => entry.blocks).filter((block) => block.kind === 'reasoning');
    const bad = blocks
      .map((block) => block.raw as JsonObject)
      .find((raw) => {
        if (raw.type === 'redacted_thinking') return textOf(raw.data) === '';
        return raw.signature !== sign(view.model, textOf(raw.thinking));
      });
    return bad && `A thinking block was altered or was made by another model: ${JSON.stringify(bad).slice(0, 200)}`;
  },
};

/** A thinking budget is at least 1024 tokens and leaves room for the answer. */
const thinkingBudget: Rule = {
  name: 'thinking-budget',
  check({ body }) {
    if (!isObject(body.thinking) || body.thinking.type !== 'enabled') return undefined;
    const budget = Number(body.thinking.budget_tokens);
    if (!(budget >= 1024)) return 'thinking.budget_tokens must be at least 1024.';
    return Number(body.max_tokens) > budget ? undefined : 'max_tokens must be greater than thinking.budget_tokens.';
  },
};

/** At most 4 cache marks, none on thinking or on blank text. */
const cacheMarks: Rule = {
  name: 'cache-marks',
  check({ body, view }) {
    const blocks = allBlocks([...view.system, ...view.entries.flatMap((entry) => entry.blocks)]);
    const marked = blocks.filter((block) => hasMark(block.raw));
    const bad = marked.find((block) => block.kind === 'reasoning' || isBlank(block));
    if (bad) return `cache_control may not stand on ${JSON.stringify(bad.raw).slice(0, 200)}`;
    const count = marked.length + view.tools.filter((tool) => hasMark(tool.raw)).length + (hasMark(body) ? 1 : 0);
    return count > 4 ? `${count} blocks have cache_control; at most 4 may.` : undefined;
  },
};

export const anthropicRules = strictRules({ fields, callArguments: 'object', turns: 'messages' }, [
  streaming,
  requiredFields,
  toolShape,
  alternatingRoles,
  resultsFirst,
  callIdForm,
  cacheMarks,
  thinkingUnaltered,
  thinkingBudget,
]);

function hasMark(raw: unknown): boolean {
  return isObject(raw) && isObject(raw.cache_control);
}
