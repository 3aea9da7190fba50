/** Rules that wires share. */

import { imageTypeOf } from '../../lib/image-type.ts';
import { isObject } from '../../lib/is-object.ts';
import type { Json } from '../../protocol/json.ts';
import type { Block, Rule, RuleInput } from './wire.ts';

/** Bytes are UTF-8 and no string holds half a surrogate pair. */
const wellFormedText: Rule = {
  name: 'well-formed-text',
  check({ bytes, body }) {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      return 'The body is not valid UTF-8.';
    }
    const path = findString(body, (text) => !text.isWellFormed());
    return path === undefined ? undefined : `${path} holds a lone surrogate.`;
  },
};

/** No top-level field that the provider does not know. */
function knownFields(fields: readonly string[]): Rule {
  return {
    name: 'known-fields',
    check({ body, extraFields }) {
      const unknown = Object.keys(body).find((key) => !fields.includes(key) && !extraFields.includes(key));
      return unknown === undefined ? undefined : `Unknown field: ${unknown}.`;
    },
  };
}

/** The server only streams. */
export const streaming: Rule = {
  name: 'streaming',
  check: ({ body }) => (body.stream === true ? undefined : 'stream must be true.'),
};

/** Every content block has a type that may stand in its place. */
const knownBlocks: Rule = {
  name: 'known-blocks',
  check({ view }) {
    const bad = allBlocks(view.entries.flatMap((entry) => entry.blocks)).find((block) => block.kind === 'unknown');
    return bad && `Content that is not allowed here: ${JSON.stringify(bad.raw).slice(0, 200)}`;
  },
};

/** Tool names, declared and called, match `^[A-Za-z0-9_-]{1,64}$`; declared ones are unique. */
const toolNames: Rule = {
  name: 'tool-names',
  check({ view }) {
    const declared = view.tools.map((tool) => tool.name);
    const illegal = [
      ...declared,
      ...callsOf(view.entries.flatMap((entry) => entry.blocks)).map((call) => call.name),
    ].find((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name));
    if (illegal !== undefined) return `Tool name ${JSON.stringify(illegal)} does not match ^[A-Za-z0-9_-]{1,64}$.`;
    const twice = declared.find((name, index) => declared.indexOf(name) !== index);
    return twice === undefined ? undefined : `Tool name ${twice} is declared twice.`;
  },
};

/** No two calls of a conversation have the same id. */
const callIds: Rule = {
  name: 'call-ids',
  check({ view }) {
    const ids = callsOf(view.entries.flatMap((entry) => entry.blocks)).map((call) => call.id);
    if (ids.includes('')) return 'A tool call has no id.';
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    return twice === undefined ? undefined : `Call id ${twice} is used twice.`;
  },
};

/** Each call has exactly one result directly after its turn, and each result its call. */
function pairing(turns: WireForm['turns']): Rule {
  return {
    name: 'pairing',
    check({ view }) {
      const open = new Set<string>();
      let answering = false;
      const missing = () => `Call ${[...open][0]} has no result directly after it.`;
      for (const entry of view.entries) {
        if (turns === 'messages' && entry.role === 'assistant' && open.size > 0) return missing();
        for (const block of entry.blocks) {
          if (block.kind === 'result') {
            if (!open.delete(block.id)) return `Result ${block.id} does not stand directly after a call with this id.`;
            answering = true;
          } else if (open.size > 0 && (answering || entry.role !== 'assistant')) {
            return missing();
          }
          if (block.kind === 'call') {
            open.add(block.id);
            answering = false;
          }
        }
      }
      return open.size > 0 ? missing() : undefined;
    },
  };
}

/** No text block that is empty after trimming, no message without content. */
const noBlankText: Rule = {
  name: 'no-blank-text',
  check({ view }) {
    for (const [index, entry] of view.entries.entries()) {
      if (entry.blocks.length === 0) return `Message ${index} has no content.`;
      if (allBlocks(entry.blocks).some(isBlank)) return `Message ${index} has a blank text block.`;
    }
    return view.system.some(isBlank) ? 'The system prompt has a blank text block.' : undefined;
  },
};

/** Arguments are a string that holds a JSON object. */
const argumentStrings: Rule = {
  name: 'arguments',
  check({ view }) {
    const bad = callsOf(view.entries.flatMap((entry) => entry.blocks)).find((call) => !isObjectText(call.input));
    return bad && `Arguments of call ${bad.id} are not a JSON object: ${JSON.stringify(bad.input)}`;
  },
};

/** Arguments are a JSON object. */
const argumentObjects: Rule = {
  name: 'arguments',
  check({ view }) {
    const bad = callsOf(view.entries.flatMap((entry) => entry.blocks)).find((call) => !isObject(call.input));
    return bad && `Arguments of call ${bad.id} are not an object: ${JSON.stringify(bad.input)}`;
  },
};

/** Image bytes begin as their declared type demands. */
const imageBytes: Rule = {
  name: 'image-bytes',
  check({ view }) {
    for (const block of allBlocks(view.entries.flatMap((entry) => entry.blocks))) {
      if (block.kind !== 'image') continue;
      const actual = imageTypeOf(Buffer.from(block.data, 'base64'));
      if (actual !== block.mediaType) {
        return `An image is declared as ${block.mediaType}, its bytes are ${actual ?? 'no known image'}.`;
      }
    }
    return undefined;
  },
};

/** The first message is the user's, and no two neighbours have the same role. */
export const alternatingRoles: Rule = {
  name: 'alternating-roles',
  check({ view }) {
    if (view.entries[0]?.role !== 'user') return 'The first message must have the role user.';
    const index = view.entries.findIndex((entry, at) => entry.role === view.entries[at - 1]?.role);
    return index < 0 ? undefined : `Messages ${index - 1} and ${index} have the same role.`;
  },
};

export interface WireForm {
  /** Top-level fields the provider knows, separated by blanks. */
  readonly fields: string;
  /** How the arguments of a call are written. */
  readonly callArguments: 'string' | 'object';
  /** Whether a turn is one message, or a row of items. */
  readonly turns: 'messages' | 'items';
}

/** All rules of a wire: its own, which are more precise, stand before those that hold for every wire. */
export function strictRules({ fields, callArguments, turns }: WireForm, own: readonly Rule[]): readonly Rule[] {
  return [
    wellFormedText,
    knownFields(fields.split(' ')),
    ...own,
    toolNames,
    knownBlocks,
    callIds,
    pairing(turns),
    noBlankText,
    callArguments === 'string' ? argumentStrings : argumentObjects,
    imageBytes,
  ];
}

/** The first rule of the table that the request breaks. */
export function firstProblem(rules: readonly Rule[], input: RuleInput): { rule: string; message: string } | undefined {
  for (const rule of rules) {
    const message = rule.check(input);
    if (message !== undefined) return { rule: rule.name, message };
  }
  return undefined;
}

function callsOf(blocks: readonly Block[]): (Block & { kind: 'call' })[] {
  return blocks.filter((block) => block.kind === 'call');
}

/** Blocks with those inside results. */
export function allBlocks(blocks: readonly Block[]): Block[] {
  return blocks.flatMap((block) => (block.kind === 'result' ? [block, ...allBlocks(block.content)] : [block]));
}

/** Text without anything to see. */
export function isBlank(block: Block): boolean {
  return block.kind === 'text' && block.text.trim() === '';
}

function isObjectText(value: Json): boolean {
  if (typeof value !== 'string') return false;
  try {
    return isObject(JSON.parse(value));
  } catch {
    return false;
  }
}

/** Path of the first string, key or value, for which `test` is true. */
function findString(value: Json, test: (text: string) => boolean, path = 'body'): string | undefined {
  if (typeof value === 'string') return test(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = test(key) ? `A key of ${path}` : findString(inner, test, `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
