/**
 * Errors: one base class, one catalogue. The catalogue holds code, exit code and HTTP status; the texts (message and
 * hint, in three languages, with `{parameters}`) live in the locales under `errors.<code>` and are rendered by apps.
 */
import type { Json } from './json.ts';

interface CatalogueEntry {
  readonly exit: number;
  readonly http: number;
  /** Trying again may help. */
  readonly retryable?: true;
}

/** Exit codes of the command line; see docs/reference/exit-codes.md. */
export const exitCodes = {
  ok: 0,
  error: 1,
  usage: 2,
  auth: 41,
  input: 42,
  config: 52,
  maxTurns: 53,
  budget: 54,
  refused: 55,
  unverified: 56,
  schema: 57,
  sandbox: 58,
  timeout: 124,
  interrupted: 130,
  terminated: 143,
} as const;

export const catalogue = {
  // model providers
  E_PROVIDER_AUTH: { exit: 41, http: 502 },
  E_PROVIDER_KEY_MISSING: { exit: 41, http: 502 },
  E_PROVIDER_URL_MISSING: { exit: 52, http: 502 },
  E_PROVIDER_RATE_LIMIT: { exit: 1, http: 429, retryable: true },
  E_PROVIDER_OVERLOADED: { exit: 1, http: 503, retryable: true },
  E_PROVIDER_CONTEXT_OVERFLOW: { exit: 1, http: 400 },
  E_PROVIDER_INVALID_REQUEST: { exit: 1, http: 502 },
  E_PROVIDER_NETWORK: { exit: 1, http: 502, retryable: true },
  E_PROVIDER_STREAM: { exit: 1, http: 502, retryable: true },
  E_PROVIDER_CONTENT_FILTER: { exit: 1, http: 400 },
  /** It went on and on. */
  E_ANSWER_TOO_LARGE: { exit: 1, http: 502 },
  E_TOO_MANY_CALLS: { exit: 1, http: 502 },
  E_PROVIDER_UNKNOWN: { exit: 52, http: 400 },
  /** A warning: another model answers in place of the one that was chosen. */
  E_MODEL_FALLBACK: { exit: 1, http: 502 },
  E_MODEL_UNKNOWN: { exit: 52, http: 400 },
  E_KEY_INVALID: { exit: 42, http: 400 },
  // configuration and input
  E_CONFIG_SYNTAX: { exit: 52, http: 500 },
  E_CONFIG_INVALID: { exit: 52, http: 500 },
  /** A warning: a project's file says what a project may not set. */
  E_CONFIG_IGNORED: { exit: 52, http: 500 },
  /** A warning: what in the folder could run is off, because nobody trusts the folder. */
  E_FOLDER_UNTRUSTED: { exit: 52, http: 500 },
  /** A warning: a piece of a trusted folder is not what the user agreed to, and off. */
  E_TRUST_CHANGED: { exit: 52, http: 500 },
  E_CONFIG_WRITE: { exit: 52, http: 500 },
  E_HOME_UNUSABLE: { exit: 52, http: 500 },
  E_USAGE: { exit: 2, http: 400 },
  E_INPUT_FILE: { exit: 42, http: 400 },
  E_INPUT_IMAGE: { exit: 42, http: 400 },
  E_INPUT_EMPTY: { exit: 42, http: 400 },
  E_INPUT_FORMAT: { exit: 42, http: 400 },
  E_FOLDER_MISSING: { exit: 42, http: 400 },
  E_OUTPUT: { exit: 1, http: 500 },
  E_SCHEMA_INVALID: { exit: 2, http: 400 },
  // extensions
  E_EXTENSION_LOAD: { exit: 52, http: 500 },
  E_EXTENSION_CLASH: { exit: 52, http: 500 },
  E_HOOK: { exit: 1, http: 500 },
  /** A warning: a listener of a session's events failed. */
  E_LISTENER: { exit: 1, http: 500 },
  E_HOOK_FILE: { exit: 52, http: 500 },
  E_PROMPT_REFUSED: { exit: 55, http: 403 },
  E_EXTENSION_INVALID: { exit: 52, http: 500 },
  E_AGENT_FILE: { exit: 52, http: 500 },
  E_SKILL_MISSING: { exit: 42, http: 404 },
  // the log
  E_SESSION_MISSING: { exit: 42, http: 404 },
  E_SESSION_EXISTS: { exit: 42, http: 409 },
  E_SESSION_BUSY: { exit: 1, http: 409 },
  E_SESSION_FENCED: { exit: 1, http: 409 },
  E_SESSION_IMPORT: { exit: 42, http: 400 },
  E_SESSION_EVENT_UNREADABLE: { exit: 1, http: 500 },
  E_STORE_OPEN: { exit: 1, http: 500 },
  E_STORE_CORRUPT: { exit: 1, http: 500 },
  E_STORE_FULL: { exit: 1, http: 507 },
  E_STORE_VERSION: { exit: 1, http: 500 },
  E_STORE_FAILED: { exit: 1, http: 500 },
  E_INTERRUPT_STALE: { exit: 42, http: 409 },
  E_DECISION_INVALID: { exit: 42, http: 400 },
  // runs
  E_MAX_TURNS: { exit: 53, http: 200 },
  E_BUDGET: { exit: 54, http: 200 },
  E_TIMEOUT: { exit: 124, http: 200 },
  E_ABORTED: { exit: 130, http: 200 },
  E_ANSWER_CUT: { exit: 1, http: 200 },
  /** A warning: a limit is kept by estimate. */
  E_USAGE_ESTIMATED: { exit: 1, http: 200 },
  /** A warning: a limit of money cannot be kept. */
  E_PRICES_UNKNOWN: { exit: 1, http: 200 },
  E_LOOP: { exit: 1, http: 200 },
  E_SCHEMA_UNMET: { exit: 57, http: 200 },
  /** An agent of a graph gave no answer that can be used, also when it was asked again. */
  E_AGENT_ANSWER: { exit: 1, http: 200 },
  E_GRAPH_INVALID: { exit: 52, http: 500 },
  E_MIDDLEWARE: { exit: 1, http: 500 },
  E_SLASH_COMMAND: { exit: 1, http: 500 },
  /** The history cannot be made shorter; `reason` says why. */
  E_COMPACTION: { exit: 1, http: 400 },
  // files and commands
  E_PATH_OUTSIDE: { exit: 42, http: 400 },
  E_FILE: { exit: 42, http: 400 },
  E_FILE_CHANGED: { exit: 42, http: 409 },
  E_FILE_UNSEEN: { exit: 42, http: 409 },
  E_FILE_TOO_LARGE: { exit: 42, http: 400 },
  E_PATTERN: { exit: 42, http: 400 },
  E_COMMAND: { exit: 1, http: 500 },
  E_SANDBOX_UNAVAILABLE: { exit: 58, http: 500 },
  E_SANDBOX_DOMAINS: { exit: 58, http: 500 },
  E_INTERNAL: { exit: 1, http: 500 },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof catalogue;

/** An error as data, as it travels in events and JSON. */
export interface ErrorData {
  readonly code: ErrorCode;
  /** Values for the text: file, field, flag, HTTP status, ... */
  readonly params: Readonly<Record<string, Json>>;
  /** English, for logs and for the model; people read the locale's text. */
  readonly message: string;
}

const marker = Symbol.for('rein.error');

/** The base of all errors Rein throws on purpose. */
export class ReinError extends Error {
  readonly code: ErrorCode;
  readonly params: Readonly<Record<string, Json>>;
  readonly [marker] = true;

  constructor(code: ErrorCode, params: Readonly<Record<string, Json>> = {}, cause?: unknown) {
    const shown = Object.entries(params).map(
      ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    super(shown.length ? `${code} (${shown.join(', ')})` : code, cause === undefined ? undefined : { cause });
    this.name = 'ReinError';
    this.code = code;
    this.params = params;
  }

  get retryable(): boolean {
    return 'retryable' in catalogue[this.code];
  }

  toData(): ErrorData {
    return { code: this.code, params: this.params, message: this.message };
  }

  /** True for errors of this family, also from another copy of the package. */
  static is(value: unknown): value is ReinError {
    return value instanceof Error && (value as { [marker]?: unknown })[marker] === true;
  }

  /** Any thrown value as an error of this family; what is none becomes `E_INTERNAL`. */
  static from(value: unknown): ReinError {
    if (ReinError.is(value)) return value;
    return new ReinError('E_INTERNAL', { detail: value instanceof Error ? value.message : String(value) }, value);
  }
}
