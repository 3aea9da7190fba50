/** Token counts and money, normalised over the wires: every token is counted in exactly one of the four fields. */
export interface Usage {
  /** Prompt tokens read at full price. */
  readonly input: number;
  /** Prompt tokens read from the provider's cache. */
  readonly cacheRead: number;
  /** Prompt tokens written to the provider's cache. */
  readonly cacheWrite: number;
  /** Answer tokens, reasoning included. */
  readonly output: number;
}

/** Nothing was used. */
export const noUsage: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

/** Both together, field by field. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
  };
}

/** Size of the prompt in tokens, whatever was cached. */
export function promptTokens(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}

/** Tokens of prompt and answer together. */
export function totalTokens(usage: Usage): number {
  return promptTokens(usage) + usage.output;
}

/** US dollars per million tokens. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** Cost in US dollars; cached tokens without a price of their own cost as much as input. */
export function costOf(usage: Usage, prices: Prices | undefined): number {
  if (!prices) return 0;
  const { input, output, cacheRead = input, cacheWrite = input } = prices;
  const sum = usage.input * input + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite + usage.output * output;
  return sum / 1e6;
}
