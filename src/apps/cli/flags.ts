/** The flags that go with every command: one table for parsing, help and tests. */
import type { Flags } from '../../harness/options.ts';
import { nearest } from '../../lib/nearest.ts';
import { maxSeconds, permissionModes, sandboxSettings } from '../../protocol/config.ts';
import { ReinError } from '../../protocol/errors.ts';
import { efforts } from '../../protocol/request.ts';
import { languages } from '../../services/i18n/translate.ts';

export const outputFormats = ['text', 'json', 'stream-json', 'events'] as const;
type OutputFormat = (typeof outputFormats)[number];

/** What was typed, checked. */
export interface CliOptions {
  /** The prompt; `-` means standard input. */
  readonly print?: string;
  readonly outputFormat: OutputFormat;
  readonly inputFormat: 'text' | 'stream-json';
  readonly includePartialMessages: boolean;
  readonly continue: boolean;
  readonly resume?: string;
  readonly forkSession: boolean;
  readonly sessionId?: string;
  readonly images: readonly string[];
  /** Plan, carry out, review. */
  readonly plan: boolean;
  readonly verify: readonly string[];
  /** A file, or the schema itself. */
  readonly jsonSchema?: string;
  readonly cd?: string;
  readonly verbose: boolean;
  readonly lang?: string;
  /** What goes to the harness. */
  readonly harness: Flags;
}

export type Values = Readonly<Record<string, unknown>>;
/** Checks the text of a flag; `before` holds what earlier ones of the same name gave. */
export type Parse = (text: string, flag: string, before: unknown) => unknown;

export interface FlagSpec {
  readonly flags: string;
  /** Another spelling, not shown in the help. */
  readonly alias?: string;
  /** Absent: a switch, which takes no value. */
  readonly parse?: Parse;
}

const anything: Parse = (value) => value;
/** A blank one is what a variable of a script leaves that is not set. */
const text: Parse = (value, flag) => {
  if (value.trim() !== '') return value;
  throw usageError({ text: 'cli.usage.noValue', flag });
};
const list: Parse = (value, flag, before) => [...((before as string[] | undefined) ?? []), text(value, flag, before)];
const rules: Parse = (value, _flag, before) => [...((before as string[] | undefined) ?? []), ...splitRules(value)];
const oneOf = (allowed: readonly string[]): Parse => {
  return (value, flag) => {
    if (allowed.includes(value)) return value;
    const meant = nearest(value, allowed);
    throw usageError({ text: meant ? 'cli.usage.choiceMeant' : 'cli.usage.choice', flag, value, allowed, meant });
  };
};
const number = (isValid: (value: number) => boolean, need: string): Parse => {
  return (value, flag) => {
    const parsed = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
    if (isValid(parsed)) return parsed;
    throw usageError({ text: `cli.usage.${need}`, flag, value });
  };
};
const count = number((value) => Number.isSafeInteger(value) && value >= 1, 'count');
const amount = number((value) => Number.isFinite(value) && value > 0, 'amount');
const seconds = number((value) => value > 0 && value <= maxSeconds, 'amount');

/** A whole number from 1 up, as the value of a flag. Throws `E_USAGE`. */
export function parseCount(text: string, flag: string): number {
  return count(text, flag, undefined) as number;
}

/** In the order of the help; the text of each is `cli.flags.<key>`. */
export const flagTable = {
  print: { flags: '-p, --print <prompt>', parse: anything },
  outputFormat: { flags: '--output-format <format>', parse: oneOf(outputFormats) },
  inputFormat: { flags: '--input-format <format>', parse: oneOf(['text', 'stream-json']) },
  includePartialMessages: { flags: '--include-partial-messages' },
  continue: { flags: '-c, --continue' },
  resume: { flags: '-r, --resume <id>', parse: text },
  forkSession: { flags: '--fork-session' },
  sessionId: { flags: '--session-id <uuid>', parse: sessionId },
  model: { flags: '-m, --model <provider/model>', parse: text },
  fallbackModel: { flags: '--fallback-model <provider/model>', parse: text },
  effort: { flags: '--effort <level>', parse: oneOf(efforts) },
  image: { flags: '-i, --image <file>', parse: list },
  maxTurns: { flags: '--max-turns <n>', parse: count },
  maxBudgetUsd: { flags: '--max-budget-usd <usd>', parse: amount },
  timeout: { flags: '--timeout <s>', parse: seconds },
  permissionMode: { flags: '--permission-mode <mode>', parse: oneOf(permissionModes) },
  allowedTools: { flags: '--allowedTools <rules>', alias: '--allowed-tools <rules>', parse: rules },
  disallowedTools: { flags: '--disallowedTools <rules>', alias: '--disallowed-tools <rules>', parse: rules },
  addDir: { flags: '--add-dir <folder>', parse: list },
  settings: { flags: '--settings <file>', parse: text },
  appendSystemPrompt: { flags: '--append-system-prompt <text>', parse: anything },
  cd: { flags: '-C, --cd <folder>', parse: text },
  plan: { flags: '--plan' },
  verify: { flags: '--verify <command>', parse: list },
  jsonSchema: { flags: '--json-schema <schema>', parse: text },
  sandbox: { flags: '-s, --sandbox <level>', parse: oneOf(sandboxSettings) },
  lang: { flags: '--lang <language>', parse: oneOf([...languages, 'zh']) },
  verbose: { flags: '--verbose' },
} as const satisfies Record<string, FlagSpec>;

/** Reads the flags' values off a command. Throws `E_USAGE` for flags that do not go together. */
export function readOptions(values: Values): CliOptions {
  const options = {
    print: values.print as string | undefined,
    outputFormat: (values.outputFormat as OutputFormat | undefined) ?? 'text',
    inputFormat: (values.inputFormat as CliOptions['inputFormat'] | undefined) ?? 'text',
    includePartialMessages: values.includePartialMessages === true,
    continue: values.continue === true,
    resume: values.resume as string | undefined,
    forkSession: values.forkSession === true,
    sessionId: values.sessionId as string | undefined,
    plan: values.plan === true,
    verify: (values.verify as string[] | undefined) ?? [],
    jsonSchema: values.jsonSchema as string | undefined,
    images: (values.image as string[] | undefined) ?? [],
    cd: values.cd as string | undefined,
    verbose: values.verbose === true,
    lang: values.lang as string | undefined,
    harness: toHarnessFlags(values),
  };
  refuseContradictions(options);
  return options;
}

function toHarnessFlags(values: Values): Flags {
  const flags = {
    lang: values.lang,
    model: values.model,
    fallbackModel: values.fallbackModel,
    effort: values.effort,
    permissionMode: values.permissionMode,
    allow: values.allowedTools,
    deny: values.disallowedTools,
    sandbox: values.sandbox,
    maxTurns: values.maxTurns,
    maxBudgetUsd: values.maxBudgetUsd,
    timeoutSeconds: values.timeout,
    addDirs: values.addDir,
    appendSystemPrompt: values.appendSystemPrompt,
    settings: values.settings,
  };
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)) as Flags;
}

function refuseContradictions(options: CliOptions): void {
  const resumes = options.continue || options.resume !== undefined;
  const together = (first: string, second: string) => usageError({ text: 'cli.usage.together', first, second });
  if (options.continue && options.resume !== undefined) throw together('--continue', '--resume');
  if (options.forkSession && !resumes) throw usageError({ text: 'cli.usage.forkAlone' });
  if (options.sessionId !== undefined && resumes) {
    throw together('--session-id', options.continue ? '--continue' : '--resume');
  }
  if (options.inputFormat === 'stream-json' && (options.print ?? '-') !== '-') {
    throw usageError({ text: 'cli.usage.streamInput' });
  }
  if (options.includePartialMessages && options.outputFormat !== 'stream-json') {
    throw usageError({
      text: 'cli.usage.needs',
      first: '--include-partial-messages',
      second: '--output-format stream-json',
    });
  }
}

/** `E_USAGE` whose detail is a text of the dictionary with its parameters. */
export function usageError(detail: { text: string } & Record<string, unknown>): ReinError {
  const known = Object.fromEntries(Object.entries(detail).filter(([, value]) => value !== undefined));
  return new ReinError('E_USAGE', { detail: known as never });
}

function sessionId(value: string, flag: string): string {
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value)) return value;
  throw usageError({ text: 'cli.usage.id', flag, value });
}

/** Rules separated by commas or spaces; those in parentheses, also in one that is not closed, belong to the rule. */
export function splitRules(value: string): string[] {
  return value.match(/(?:\([^)]*(?:\)|$)|[^\s,(])+/g) ?? [];
}
