import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { recordedNames, recordedRequest } from './__fixtures__/streams.ts';
import { classifyFailure, type Failure } from './_errors.ts';

const now = Date.parse('2026-11-30T12:00:00Z');
const error = (message: string, more: object = {}) => ({ error: { message, ...more } });

function codeOf(status: number | undefined, body: unknown): string {
  return classifyFailure({ provider: 'pear', status, body, now }).code.replace('E_PROVIDER_', '');
}

describe('case P25: each failure has one code', () => {
  test.each<[number | undefined, unknown, string]>([
    [401, error('Incorrect API key provided'), 'AUTH'],
    [401, '', 'AUTH'],
    [403, '<html><title>403 Forbidden</title></html>', 'AUTH'],
    [400, error('API key not valid. Please pass a valid API key.', { status: 'INVALID_ARGUMENT' }), 'AUTH'],
    [400, error('Unknown field "tol"'), 'INVALID_REQUEST'],
    [404, error('The model `pear-9` does not exist', { code: 'model_not_found' }), 'INVALID_REQUEST'],
    [422, { detail: [{ loc: ['body'], msg: 'field required' }] }, 'INVALID_REQUEST'],
    [302, '', 'INVALID_REQUEST'],
    [402, error('Insufficient Balance'), 'RATE_LIMIT'],
    [429, error('slow down'), 'RATE_LIMIT'],
    [400, error('Your credit balance is too low to access the API'), 'RATE_LIMIT'],
    [408, '', 'OVERLOADED'],
    [409, error('conflict'), 'OVERLOADED'],
    [500, 'Internal Server Error', 'OVERLOADED'],
    [502, '<html>Bad gateway</html>', 'OVERLOADED'],
    [503, error('The model is at capacity'), 'OVERLOADED'],
    [529, error('Overloaded', { type: 'overloaded_error' }), 'OVERLOADED'],
    [413, '<html>Request Entity Too Large</html>', 'CONTEXT_OVERFLOW'],
    [400, error('The response was filtered', { code: 'content_filter' }), 'CONTENT_FILTER'],
    [
      400,
      error('Output data may contain inappropriate content.', { code: 'data_inspection_failed' }),
      'CONTENT_FILTER',
    ],
    [undefined, error('Overloaded', { type: 'overloaded_error' }), 'OVERLOADED'],
    [undefined, error('The server had an error', { code: 'server_error' }), 'OVERLOADED'],
    [undefined, { type: 'error', code: 'rate_limit_exceeded', message: 'later' }, 'RATE_LIMIT'],
    [
      undefined,
      { type: 'response.failed', response: { error: { code: 'server_error', message: 'oh' } } },
      'OVERLOADED',
    ],
    [undefined, error('bad field', { type: 'invalid_request_error' }), 'INVALID_REQUEST'],
    [undefined, error('nobody knows'), 'STREAM'],
  ])('%s %j', (status, body, code) => {
    expect(codeOf(status, body)).toBe(code);
  });
});

test.each([
  'prompt is too long: 213462 tokens > 200000 maximum',
  'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
  'Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length',
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  'Please reduce the length of the messages or completion.',
  'the request exceeds the available context size. try increasing the context size',
  'tokens to keep from the initial prompt is greater than the context length',
  'Requested tokens (5000) exceed context window of 4096',
  'prompt token count of 130000 exceeds the limit of 128000',
  'Your request exceeded model token limit: 262144',
  'invalid params, context window exceeds limit (2013)',
  'Input is too long for requested model.',
])('a context overflow by its wording: %s', (message) => {
  for (const status of [400, 413, 500, undefined]) expect(codeOf(status, error(message))).toBe('CONTEXT_OVERFLOW');
  expect(codeOf(429, error(message))).toBe('RATE_LIMIT');
});

test.each([
  [400, 'ThrottlingException: Too many tokens, please wait before trying again.'],
  [413, 'Request too large for model `pear` on tokens per minute (TPM): Limit 6000, Requested 7000'],
])('throttling is no overflow: %s %s', (status, message) => {
  expect(codeOf(status, error(message))).toBe('RATE_LIMIT');
});

describe('security O7: a wish to wait is believed within bounds', () => {
  const wait = (headers: Failure['headers'], body: unknown = '') =>
    classifyFailure({ status: 429, headers, body, now }).params.retryAfterMs;
  test.each<[string, Failure['headers'], number | undefined]>([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['a fraction', { 'retry-after': '1.5' }, 1500],
    ['a date', { 'retry-after': 'Mon, 30 Nov 2026 12:00:20 GMT' }, 20_000],
    ['a date gone by', { 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' }, 0],
    ['a week', { 'retry-after': '604800' }, 120_000],
    ['a date in a week', { 'retry-after': 'Mon, 07 Dec 2026 12:00:00 GMT' }, 120_000],
    ['digits without end', { 'retry-after': '9'.repeat(400) }, undefined],
    ['negative', { 'retry-after': '-5' }, undefined],
    ['garbage', { 'retry-after': 'soon' }, undefined],
    ['a garbage date', { 'retry-after': 'Mon, 99 Foo 2026' }, undefined],
    ['milliseconds', { 'retry-after-ms': '250' }, 250],
    ['both, the longer counts', { 'retry-after-ms': '0', 'retry-after': '1' }, 1000],
    ['nothing', {}, undefined],
  ])('%s', (_name, headers, expected) => {
    expect(wait(headers)).toBe(expected);
  });

  test('in the body', () => {
    const info = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '48s' };
    expect(wait({}, error('quota', { details: [info] }))).toBe(48_000);
    expect(wait({}, [error('quota', { details: [info] })])).toBe(48_000);
    expect(wait({}, error('Please try again in 1m2.5s.'))).toBe(62_500);
    expect(wait({}, error('Please try again in 20ms.'))).toBe(20);
  });
});

test('an account with nothing left is final, a quota that refills is not', () => {
  const final = (body: unknown) => classifyFailure({ status: 429, body }).params.final;
  expect(final(error('You exceeded your current quota', { code: 'insufficient_quota' }))).toBe(true);
  expect(final(error('You exceeded your current quota', { status: 'RESOURCE_EXHAUSTED' }))).toBe(undefined);
  expect(classifyFailure({ status: 402, body: '' }).params.final).toBe(true);
});

test('security E5: the error holds what the server said, shortened, without anything like a key', () => {
  const secrets = ['topsecretvalue'];
  const detail = (text: string) => classifyFailure({ status: 400, body: error(text), secrets }).params.detail;
  expect(detail('Incorrect API key provided: sk-proj-abc123def456.')).toBe('Incorrect API key provided: [redacted]');
  expect(detail('header Bearer abcdef123456 refused, AIzaSyA1234567890abc')).toBe(
    'header Bearer [redacted] refused, [redacted]',
  );
  expect(detail('see https://user:pass@pear.example/v1?key=abc&x=1')).toBe(
    'see https://[redacted]@pear.example/v1?key=[redacted]&x=1',
  );
  expect(detail('you sent topsecretvalue')).toBe('you sent [redacted]');
  expect(detail('x'.repeat(2000))).toHaveLength(500);
});

test('the whole error, from a page of a gateway', () => {
  const body = '<html><head><style>b{}</style></head>\n<body>Access <b>denied</b></body></html>';
  expect(classifyFailure({ provider: 'pear', status: 403, body }).toData()).toEqual({
    code: 'E_PROVIDER_AUTH',
    params: { provider: 'pear', status: 403, detail: 'Access denied' },
    message: 'E_PROVIDER_AUTH (provider: pear, status: 403, detail: Access denied)',
  });
});

const recordedCodes: readonly (readonly [RegExp, string])[] = [
  [/context-overflow/, 'CONTEXT_OVERFLOW'],
  [/bad-key/, 'AUTH'],
  [/429/, 'RATE_LIMIT'],
  [/./, 'INVALID_REQUEST'],
];
for (const name of recordedNames('errors')) {
  test(`recorded: ${name}`, () => {
    const { status, headers, body } = recordedRequest('errors', name) as {
      status: number;
      headers: JsonObject;
      body: JsonObject;
    };
    const found = classifyFailure({ provider: 'pear', status, headers: headers as Failure['headers'], body });
    expect(found.code).toBe(`E_PROVIDER_${recordedCodes.find(([pattern]) => pattern.test(name))![1]}`);
    expect(found.params).toMatchObject({ provider: 'pear', status });
    const waits: Record<string, number> = { 'azure-429-retry-after.json': 1000, 'google-429-quota.json': 48_940 };
    expect(found.params.retryAfterMs).toBe(waits[name]);
  });
}
