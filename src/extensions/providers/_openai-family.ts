/** What the two OpenAI wires have in common. */

import type { ProviderOptions } from '../../protocol/define/provider.ts';
import type { PromptSection } from '../../protocol/prompt.ts';
import type { Effort } from '../../protocol/request.ts';

/** The key as OpenAI takes it; nothing for servers without one. */
export function bearer({ apiKey }: ProviderOptions): Record<string, string> {
  return apiKey ? { authorization: `Bearer ${apiKey}` } : {};
}

/** Ids of a model list `{data: [{id}]}`. */
export function modelIds(body: unknown): string[] {
  const list = Array.isArray(body) ? body : (body as { data: unknown }).data;
  return (list as { id: string }[]).map(({ id }) => id);
}

/** The prompt's sections as one text; empty when there are none. */
export function systemText(sections: readonly PromptSection[]): string {
  return sections
    .map(({ text }) => text)
    .filter((text) => text.trim() !== '')
    .join('\n\n');
}

/** OpenAI's word for an effort. `off` is the least that the model takes. */
export function openaiEffort(effort: Effort, model: string): string {
  if (effort !== 'off') return effort;
  const name = model.slice(model.lastIndexOf('/') + 1);
  if (/^gpt-5(-(mini|nano|\d{4}).*)?$/.test(name)) return 'minimal';
  return /^(o\d|gpt-5-(codex|pro)|gpt-5\.1-codex)/.test(name) ? 'low' : 'none';
}

/** The answer's usage, whatever the server calls its fields; every token counted once. */
export interface WireUsage {
  readonly prompt?: number;
  readonly cached?: number;
  readonly written?: number;
  readonly completion?: number;
  readonly reasoning?: number;
  readonly total?: number;
}

/** `prompt` includes what was cached and written; `completion` includes reasoning unless the total says otherwise. */
export function toUsage({ prompt = 0, cached = 0, written = 0, completion = 0, reasoning = 0, total = 0 }: WireUsage) {
  const isBeside = reasoning > 0 && total === prompt + completion + reasoning;
  return {
    input: Math.max(0, prompt - cached - written),
    cacheRead: cached,
    cacheWrite: written,
    output: isBeside ? completion + reasoning : completion,
  };
}
