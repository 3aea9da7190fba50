/** What a strict OpenAI Responses server refuses. */
import { isObject } from '../../lib/is-object.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { streaming, strictRules } from './common-rules.ts';
import { listOf, objectsOf, type Rule, sign, textOf } from './wire.ts';

const fields =
  'model input instructions tools tool_choice stream stream_options store include reasoning text max_output_tokens max_tool_calls parallel_tool_calls prompt_cache_key prompt_cache_retention previous_response_id conversation context_management background metadata safety_identifier service_tier temperature top_p top_logprobs truncation user prompt';

/** `model` and `input` are there. */
const requiredFields: Rule = {
  name: 'required-fields',
  check({ body, view }) {
    if (view.model === '') return 'model is missing.';
    return view.entries.length === 0 || body.input === undefined ? 'input is missing or empty.' : undefined;
  },
};

/** Tools are flat: `{type: 'function', name, parameters}` with an object schema. */
const toolShape: Rule = {
  name: 'tool-shape',
  check({ body }) {
    const bad = listOf(body.tools).find((tool) => {
      if (!isObject(tool) || tool.type !== 'function') return true;
      return !isObject(tool.parameters) || tool.parameters.type !== 'object';
    });
    return bad === undefined ? undefined : `Not a function tool: ${JSON.stringify(bad).slice(0, 200)}`;
  },
};

/** Each reasoning item is followed by the message or call that it led to. */
const reasoningFollowed: Rule = {
  name: 'reasoning-followed',
  check({ view }) {
    for (const [index, entry] of view.entries.entries()) {
      if (entry.blocks[0]?.kind !== 'reasoning' || view.entries[index + 1]?.role === 'assistant') continue;
      const { id } = entry.blocks[0].raw as JsonObject;
      return `Item ${textOf(id)} of type reasoning was provided without its required following item.`;
    }
    return undefined;
  },
};

/** Encrypted reasoning goes back unaltered, to the model that made it. */
const reasoningUnaltered: Rule = {
  name: 'reasoning-unaltered',
  check({ view }) {
    const items = view.entries.flatMap((entry) => entry.blocks).filter((block) => block.kind === 'reasoning');
    for (const item of items.map((block) => block.raw as JsonObject)) {
      const summary = objectsOf(item.summary).map((part) => textOf(part.text));
      // The server stores nothing, so an item without its content does not exist for it.
      if (typeof item.encrypted_content !== 'string')
        return `Item ${textOf(item.id)} was not found: it has no encrypted_content.`;
      if (item.encrypted_content !== sign(view.model, summary.join(''))) {
        return `encrypted_content of item ${textOf(item.id)} was altered or was made by another model.`;
      }
    }
    return undefined;
  },
};

export const responsesRules = strictRules({ fields, callArguments: 'string', turns: 'items' }, [
  streaming,
  requiredFields,
  toolShape,
  reasoningFollowed,
  reasoningUnaltered,
]);
