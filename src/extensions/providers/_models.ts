/** What is known of the main models without asking anyone. As of November 2026; a user's config extends and overrides it. */
import type { ModelInfo } from '../../protocol/define/provider.ts';
import type { Prices } from '../../protocol/usage.ts';

type Row = readonly [id: string, window: number, maxOutput: number, prices: Prices];

const openai = (input: number, output: number, cacheRead: number): Prices => ({ input, output, cacheRead });
/** Reading the cache costs a tenth of input, writing it a quarter more. */
const anthropic = (input: number, output: number): Prices => ({
  input,
  output,
  cacheRead: input / 10,
  cacheWrite: input * 1.25,
});

const rows: readonly Row[] = [
  ['gpt-5.4', 1_050_000, 128_000, openai(2.5, 15, 0.25)],
  ['gpt-5.2', 400_000, 128_000, openai(1.75, 14, 0.175)],
  ['gpt-5.1', 400_000, 128_000, openai(1.25, 10, 0.125)],
  ['gpt-5', 400_000, 128_000, openai(1.25, 10, 0.125)],
  ['gpt-5-mini', 400_000, 128_000, openai(0.25, 2, 0.025)],
  ['gpt-5-nano', 400_000, 128_000, openai(0.05, 0.4, 0.005)],
  ['gpt-4.1', 1_047_576, 32_768, openai(2, 8, 0.5)],
  ['gpt-4.1-mini', 1_047_576, 32_768, openai(0.4, 1.6, 0.1)],
  ['gpt-4.1-nano', 1_047_576, 32_768, openai(0.1, 0.4, 0.025)],
  ['gpt-4o', 128_000, 16_384, openai(2.5, 10, 1.25)],
  ['gpt-4o-mini', 128_000, 16_384, openai(0.15, 0.6, 0.075)],
  ['o3', 200_000, 100_000, openai(2, 8, 0.5)],
  ['o4-mini', 200_000, 100_000, openai(1.1, 4.4, 0.275)],
  ['claude-opus-4', 200_000, 32_000, anthropic(15, 75)],
  ['claude-opus-4-5', 200_000, 64_000, anthropic(5, 25)],
  ['claude-opus-4-6', 200_000, 128_000, anthropic(5, 25)],
  ['claude-opus-4-7', 200_000, 128_000, anthropic(5, 25)],
  ['claude-sonnet-4', 200_000, 64_000, anthropic(3, 15)],
  ['claude-haiku-4-5', 200_000, 64_000, anthropic(1, 5)],
  ['claude-fable-5', 1_000_000, 128_000, anthropic(10, 50)],
  ['claude-opus-5-5', 1_000_000, 128_000, anthropic(4, 20)],
  ['claude-opus-5', 1_000_000, 128_000, anthropic(5, 25)],
  ['claude-sonnet-5', 1_000_000, 128_000, anthropic(2, 10)],
  ['gemini-3.8-flash', 1_048_576, 65_536, openai(0.75, 3.75, 0.075)],
  ['gemini-3.5-flash', 1_048_576, 65_536, openai(1.5, 9, 0.15)],
  ['gemini-3-pro', 1_048_576, 65_536, openai(2, 12, 0.2)],
  ['gemini-3-flash', 1_048_576, 65_536, openai(0.5, 3, 0.05)],
  ['gemini-2.5-pro', 1_048_576, 65_536, openai(1.25, 10, 0.125)],
  ['gemini-2.5-flash', 1_048_576, 65_536, openai(0.3, 2.5, 0.03)],
  ['gemini-2.5-flash-lite', 1_048_576, 65_536, openai(0.1, 0.4, 0.01)],
];

const known: readonly ModelInfo[] = rows.map(([id, window, maxOutput, prices]) => ({ id, window, maxOutput, prices }));

/**
 * What is known of a model: the entry of its exact id, else of the longest id it begins with (`gpt-5-mini-2025-08-07`).
 * The name may carry a vendor (`openai/gpt-5`) and use dots for dashes. `own` are the user's entries, looked at first;
 * what they leave out comes from the table. Always returns at least the id.
 */
export function modelInfo(id: string, own: readonly ModelInfo[] = []): ModelInfo {
  const plain = id.slice(id.lastIndexOf('/') + 1);
  const found = find(plain, known) ?? find(plain.replaceAll('.', '-'), known);
  const configured = find(id, own) ?? find(plain, own);
  const merged: ModelInfo = { ...found, ...withoutUndefined(configured), id };
  return merged;
}

function find(id: string, models: readonly ModelInfo[]): ModelInfo | undefined {
  let best: ModelInfo | undefined;
  for (const model of models) {
    const isPrefix = id === model.id || (id.startsWith(model.id) && /^[-:@]/.test(id.slice(model.id.length)));
    if (isPrefix && model.id.length > (best?.id.length ?? 0)) best = model;
  }
  return best;
}

function withoutUndefined(info: ModelInfo | undefined): Partial<ModelInfo> {
  return Object.fromEntries(Object.entries(info ?? {}).filter(([, value]) => value !== undefined));
}
