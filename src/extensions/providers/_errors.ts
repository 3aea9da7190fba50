/** One classification of what goes wrong at a provider, for every wire, from status, headers and body. */
import { isObject } from '../../lib/is-object.ts';
import { type ErrorCode, ReinError } from '../../protocol/errors.ts';
import type { Json } from '../../protocol/json.ts';
import { redactSecrets } from './_redact.ts';

export interface Failure {
  readonly provider?: string;
  /** HTTP status; absent for an error inside a stream. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as text or already parsed; for an error inside a stream the event or its `error` field. */
  readonly body?: unknown;
  /** Texts that must not appear in the error, such as the key. */
  readonly secrets?: readonly string[];
  /** Milliseconds since the epoch, to read a `retry-after` date by. */
  readonly now?: number;
}

/** A wait that a server asks for is believed up to here; the engine gives up on anything longer than it will wait. */
const maxRetryAfterMs = 120_000;
const maxDetail = 500;

interface Facts {
  /** HTTP status, else the number the body names. */
  readonly status: number | undefined;
  /** Every code, type and status word of the body, and the message, in lower case. */
  readonly words: string;
  readonly message: string;
}

/**
 * The error for a failed request, or for an error inside a stream, with params
 * `{provider, status, detail, retryAfterMs?, final?}`; `final`: trying again cannot help although the code could.
 */
export function classifyFailure(failure: Failure): ReinError {
  const body = parsed(failure.body);
  const facts = readFacts(failure.status, body);
  const code = codeOf(facts, failure.status === undefined);
  const wait = retryAfter(failure, body, facts.message);
  const params: Record<string, Json> = {};
  if (failure.provider !== undefined) params.provider = failure.provider;
  if (facts.status !== undefined) params.status = facts.status;
  params.detail = redactSecrets(facts.message, failure.secrets).slice(0, maxDetail);
  if (wait !== undefined) params.retryAfterMs = wait;
  if (isExhausted(facts)) params.final = true;
  return new ReinError(code, params);
}

/** The stream ended, or said something, that leaves the answer incomplete. */
export function brokenStream(detail: string): ReinError {
  return new ReinError('E_PROVIDER_STREAM', { detail });
}

const exhausted =
  /insufficient_quota|insufficient[ _](balance|credits?|funds)|payment required|billing_(hard_limit|not_active)|credit balance is too low|requires more credits|exceeded your (monthly|spending)|usage_limit_reached/;
const throttled =
  /rate.?limit|ratelimit|too many requests|throttl|tokens per (minute|hour|day)|requests per (minute|hour|day)|\b(tpm|rpm|tpd|rpd)\b|please wait before|resource_exhausted|quota/;
const badKey =
  /api[ _-]?key[ _](not valid|invalid|expired)|(incorrect|invalid|missing|expired) (x-)?api[ _-]?key|invalid_api_key|api_key_invalid|authentication_error|unauthenticated|permission_(error|denied)|missing authentication|unauthorized/;
const overflow = [
  /context_length_exceeded|context_window_exceeded|max_prompt_tokens_exceeded|too_many_(prompt_)?tokens|request_too_large/,
  /(maximum|max|model'?s?) context (length|window|size|limit)/,
  /exceed\w*( the| your| its)?( model'?s?| maximum| available| configured| allowed)* (context|token limit|max(imum)? (context|prompt|input))/,
  /context (length|window|size|limit)\)? (is |was )?(exceed|overflow|too)/,
  /(greater|longer|larger|more) than the( model'?s?| available| maximum)* context/,
  /(prompt|input|request|conversation|messages?)( \w+)? (is|are) too (long|large)( for|:|\.| to|$)/,
  /prompt too long|too many (input )?tokens[:;. ]|maximum prompt length|input tokens exceeded/,
  /input (token )?(count|length)( \([^)]*\))? (and .{1,40} )?exceed|number of input tokens exceed/,
  /(prompt )?token count of \d+ exceeds|reduce the length of (the|your) (messages|prompt|input|either)/,
  /total length of all messages|exceed(ed|s)? (the )?model token limit|tokens? (\(\d+\) )?exceeds? (the )?context/,
];
const filtered =
  /content_filter|content_policy|responsibleaipolicy|content management policy|data_inspection_failed|content exists risk|flagged (as|for|by)|policy_violation|prohibited_content|usage policies/;
const overloaded =
  /overloaded|server_error|internal_error|internal server error|\bapi_error\b|unavailable|slow_down|timeout_error|\btimed out\b|at capacity|upstream error|bad gateway/;
const invalid = /invalid_request|invalid_argument|not_found_error|model_not_found|unsupported_/;

/** The account has nothing left: waiting does not help. */
function isExhausted({ status, words }: Pick<Facts, 'status' | 'words'>): boolean {
  return status === 402 || exhausted.test(words);
}

function codeOf({ status, words }: Facts, inStream: boolean): ErrorCode {
  // The model's own malformed call, judged by the server while it streamed: another try samples anew.
  if (inStream && words.includes('tool_use_failed')) return 'E_PROVIDER_STREAM';
  if (status === 429 || isExhausted({ status, words })) return 'E_PROVIDER_RATE_LIMIT';
  if (status === 401 || status === 403 || badKey.test(words)) {
    return filtered.test(words) && status !== 401 ? 'E_PROVIDER_CONTENT_FILTER' : 'E_PROVIDER_AUTH';
  }
  if (throttled.test(words)) return 'E_PROVIDER_RATE_LIMIT';
  if (overflow.some((wording) => wording.test(words))) return 'E_PROVIDER_CONTEXT_OVERFLOW';
  if (filtered.test(words)) return 'E_PROVIDER_CONTENT_FILTER';
  if (status === 413) return 'E_PROVIDER_CONTEXT_OVERFLOW';
  if (status !== undefined && (status >= 500 || [408, 409, 425].includes(status))) return 'E_PROVIDER_OVERLOADED';
  if (status !== undefined && status >= 300) return 'E_PROVIDER_INVALID_REQUEST';
  if (overloaded.test(words)) return 'E_PROVIDER_OVERLOADED';
  return invalid.test(words) ? 'E_PROVIDER_INVALID_REQUEST' : 'E_PROVIDER_STREAM';
}

function parsed(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** Reads what vendors put at different places: `error.{code,type,status,message}`, the same at the top, `detail`. */
function readFacts(status: number | undefined, body: unknown): Facts {
  const words: string[] = [];
  let message = '';
  let number: number | undefined;
  const look = (value: unknown): void => {
    if (typeof value === 'string') message ||= value;
    if (!isObject(value)) return;
    for (const key of ['code', 'type', 'status', 'status_code', 'error_type', 'reason', '__type', 'finish_reason']) {
      const word = value[key];
      if (typeof word === 'string') words.push(word);
      const named = Number(word);
      if (number === undefined && Number.isInteger(named) && named >= 400 && named < 600) number = named;
    }
    look(value.error);
    look(value.message);
    look(value.detail);
    if (isObject(value.response)) look(value.response.error);
    if (isObject(value.innererror)) look(value.innererror);
    if (isObject(value.metadata) && typeof value.metadata.raw === 'string') words.push(value.metadata.raw);
    if (Array.isArray(value.details))
      for (const detail of value.details) if (isObject(detail)) words.push(String(detail.reason ?? ''));
  };
  look(Array.isArray(body) ? body[0] : body);
  if (!message && body !== undefined && body !== '') message = typeof body === 'string' ? body : JSON.stringify(body);
  if (!message && status !== undefined) message = `HTTP ${status}`;
  message = message
    .replace(/<(script|style)[\s\S]*?<\/\1>|<[^>]*>/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return { status: status ?? number, words: `${words.join(' ')} ${message}`.toLowerCase().slice(0, 4000), message };
}

/** Milliseconds the server asks to wait, by the longest of its ways to say it; undefined when it says nothing usable. */
function retryAfter({ headers = {}, now = Date.now() }: Failure, body: unknown, message: string): number | undefined {
  const header = (name: string) => String(headers[name] ?? '').trim();
  const waits = [
    /^\d+(\.\d+)?$/.test(header('retry-after-ms')) ? Number(header('retry-after-ms')) : undefined,
    afterHeader(header('retry-after'), now),
    retryInfo(body),
    afterMessage(message),
  ].filter((wait) => wait !== undefined && Number.isFinite(wait) && wait >= 0) as number[];
  return waits.length === 0 ? undefined : Math.min(maxRetryAfterMs, Math.round(Math.max(...waits)));
}

function afterHeader(text: string, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  // Date.parse takes almost anything with a number in it; an HTTP date begins with a weekday.
  return /^[A-Z][a-z]{2,8},? /.test(text) ? Math.max(0, Date.parse(text) - now) : undefined;
}

function retryInfo(body: unknown): number | undefined {
  const error = isObject(Array.isArray(body) ? body[0] : body)
    ? (Array.isArray(body) ? body[0] : body).error
    : undefined;
  const details = isObject(error) && Array.isArray(error.details) ? error.details : [];
  const delay = details.find((detail) => isObject(detail) && typeof detail.retryDelay === 'string')?.retryDelay;
  return delay === undefined ? undefined : Number.parseFloat(delay) * 1000;
}

function afterMessage(message: string): number | undefined {
  const found = /(?:try again|retry) in (?:(\d+)m)?(\d+(?:\.\d+)?)(ms|s)\b/i.exec(message);
  if (!found) return undefined;
  return Number(found[1] ?? 0) * 60_000 + Number(found[2]) * (found[3] === 'ms' ? 1 : 1000);
}
