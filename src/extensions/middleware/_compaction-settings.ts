/** When the history is made shorter, and by how much: the configuration with its defaults. */
import type { Config } from '../../protocol/config.ts';

interface Limit {
  readonly fraction?: number;
  readonly tokens?: number;
  readonly messages?: number;
}

export interface CompactionSettings {
  /** One of them must hold, with all that it says. */
  readonly trigger: readonly Limit[];
  /** Share of the window, or tokens when above 1. */
  readonly keep: number;
  readonly arguments: { readonly trigger: number; readonly keep: number; readonly maxLength: number };
}

/** The window that is reckoned with when nobody knows it. */
const usualWindow = 200_000;

/** The settings with defaults: numbers up to 1 are shares of the window, above 1 tokens. */
export function compactionSettings({
  trigger = 0.85,
  keep = 0.1,
  arguments: clean,
}: NonNullable<Config['compaction']> = {}): CompactionSettings {
  const limits = typeof trigger === 'number' ? [toLimit(trigger)] : [trigger].flat();
  return { trigger: limits, keep, arguments: { trigger: 50, keep: 20, maxLength: 2000, ...clean } };
}

function toLimit(amount: number): Limit {
  return amount <= 1 ? { fraction: amount } : { tokens: amount };
}

/** Whether a request of so many tokens and messages is too long. */
export function isOver(
  { trigger }: CompactionSettings,
  size: { readonly tokens: number; readonly messages: number; readonly window?: number },
): boolean {
  const window = size.window ?? usualWindow;
  return trigger.some(
    ({ fraction, tokens, messages }) =>
      (fraction === undefined || size.tokens >= fraction * window) &&
      (tokens === undefined || size.tokens >= tokens) &&
      (messages === undefined || size.messages >= messages),
  );
}

/** Tokens of the newest messages that stay whole; never so many that little is left out of a request of `tokens`. */
export function keepTokens({ keep }: CompactionSettings, tokens: number, window = usualWindow): number {
  return Math.min(keep <= 1 ? keep * window : keep, tokens / 2);
}
