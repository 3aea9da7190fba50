/** Recorded streams of the two OpenAI wires, where they are at hand: what each comes down to. */
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { digest, play, recorded, recordedNames } from './__fixtures__/streams.ts';
import { ChatDecoder } from './_chat-decoder.ts';
import type { Decoder, SseEvent } from './_codec.ts';
import { ResponsesDecoder } from './_responses-decoder.ts';

interface Outcome {
  /** Long texts by length and hash. */
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly string[];
  readonly wire?: readonly string[];
  /** Stop reason, then tokens: input, cacheRead, cacheWrite, output. Or the error's code. */
  readonly end: string;
}
type Expected = Readonly<Record<string, Outcome>>;

const chat: Expected = {
  'alibaba-tool-call.chunks.txt': { calls: ['weather {"location":"San Francisco"}'], end: 'tool-calls 295 0 0 22' },
  'azure-content-filter.json': { end: 'content-filter 15 0 0 19' },
  'azure-model-router.1.chunks.txt': { text: 'Capital of Denmark.', end: 'end 15 0 0 78' },
  'cerebras-cererebras-structured-output-tools.1.chunks.txt#1': {
    reasoning: '423 46f199abdc99',
    calls: ['nonUsefulTool {}'],
    wire: ['{"field":"reasoning"}'],
    end: 'tool-calls 66 256 0 104',
  },
  'cerebras-cererebras-structured-output-tools.1.chunks.txt#2': {
    text: '{"result": "2026"}',
    reasoning: '461 3f7580c61bb0',
    calls: ['nonUsefulTool {}'],
    wire: ['{"field":"reasoning"}'],
    end: 'tool-calls 177 256 0 122',
  },
  'deepseek-text.chunks.txt': { text: '1855 2293daa9001b', end: 'length 13 0 0 400' },
  'deepseek-tool-call.chunks.txt': {
    reasoning: '191 e9e5190a993c',
    calls: ['weather {"location":"San Francisco"}'],
    wire: ['{"field":"reasoning_content"}'],
    end: 'tool-calls 19 320 0 83',
  },
  'deepseek-tool-call.json': {
    reasoning: '242 d5434badc4da',
    calls: ['weather {"location":"San Francisco"}'],
    wire: ['{"field":"reasoning_content"}'],
    end: 'tool-calls 19 320 0 92',
  },
  'groq-error-mid-stream.sse': { end: 'E_PROVIDER_STREAM' },
  'groq-reasoning.chunks.txt': {
    text: '347 c19609678caf',
    reasoning: '2952 a8661d5bd141',
    wire: ['{"field":"reasoning"}'],
    end: 'end 17 0 0 1107',
  },
  'groq-tool-call.chunks.txt': { calls: ['weather {}'], end: 'tool-calls 210 0 0 15' },
  'mistral-incremental-tool-call.chunks.txt': {
    calls: ['webSearchTool {"query":"current Berlin weather"}'],
    end: 'tool-calls 43 128 0 14',
  },
  'mistral-parallel-tools.sse': {
    calls: ['search {"query":"Detroit Tigers game time today"}', 'weather {"city":"Detroit"}'],
    end: 'tool-calls 164 0 0 25',
  },
  'mistral-reasoning.chunks.txt': {
    text: '2 + 2 = 4',
    reasoning: 'The user is asking for 2+2. This is basic arithmetic. 2+2=4.',
    wire: ['{"field":"content"}'],
    end: 'end 10 0 0 46',
  },
  'mistral-tool-call.chunks.txt': { calls: ['weather {"location":"San Francisco"}'], end: 'tool-calls 124 0 0 22' },
  'openai-cached-tokens.sse': { text: '529 221528b1383d', end: 'length 140 1280 0 100' },
  'openai-compatible-anthropic-fallback-tool-call.sse': {
    text: 'Reading it.',
    calls: ['read_file {"path":"a.txt"}'],
    end: 'tool-calls 0 0 0 0',
  },
  'openai-length.sse': { text: '{"', end: 'length 79 0 0 1' },
  'openai-parallel-tools.sse': {
    calls: ['add {"a":2,"b":3}', 'multiply {"a":2,"b":3}'],
    end: 'tool-calls 190 0 0 379',
  },
  'openai-reasoning-model-legacy-parameter-error.json': { end: 'E_PROVIDER_INVALID_REQUEST' },
  'openai-refusal.sse': { text: "I'm sorry, I can't assist with that request.", end: 'content-filter 79 0 0 11' },
  'openai-text.chunks.txt': { text: '1724 53b2d9e583d0', end: 'end 16 0 0 300' },
  'openrouter-error-mid-stream.sse': { end: 'E_PROVIDER_INVALID_REQUEST' },
  'openrouter-parallel-tools.sse': {
    calls: ['add {"a":2,"b":3}', 'multiply {"a":2,"b":3}'],
    end: 'tool-calls 685 0 0 120',
  },
  'openrouter-reasoning-details.sse': {
    reasoning: '388 54cbe62a09ab',
    calls: ['weather {"location":"Florence, Italy"}'],
    wire: ['1275 5cf7fd745c90'],
    end: 'tool-calls 607 0 0 143',
  },
  'perplexity-citations.chunks.txt': { text: 'The current population of **[2][3]', end: 'end 10 0 0 336' },
  'xai-parallel-tools.sse': { calls: ['add {"a":2,"b":3}', 'multiply {"a":2,"b":3}'], end: 'tool-calls 279 153 0 204' },
  'xai-tool-call.chunks.txt': {
    reasoning: '1069 7df9a5068fc5',
    calls: ['weather {"location":"San Francisco"}'],
    wire: ['{"field":"reasoning_content"}'],
    end: 'tool-calls 1 306 0 253',
  },
};
const responses: Expected = {
  'azure-text.1.chunks.txt': { text: 'Hello', end: 'end 11 0 0 11' },
  'deepseek-tool-call.sse': {
    reasoning: '61 840c3f3ae6b4',
    calls: ['get_temperature {"city":"Tokyo"}'],
    wire: ['207 8ca97c1c5ab2'],
    end: 'tool-calls 110 256 0 59',
  },
  'github-copilot-id-rotation.1.chunks.txt': {
    text: '138 2b565af7080a',
    reasoning: '**Counting character occurrences**',
    wire: ['{"phase":"final_answer"}'],
    end: 'end 19 0 0 105',
  },
  'lmstudio-tool-call.1.chunks.txt': {
    text: '67 04ed194b7d36',
    reasoning: '242 ea86985de664',
    calls: ['weather {"location":"San Francisco"}'],
    wire: ['378 debec445c4a8'],
    end: 'tool-calls 180 2 0 61',
  },
  'openai-client-tool-search.2.chunks.txt': {
    calls: ['get_weather {"location":"San Francisco, CA","unit":"fahrenheit"}'],
    end: 'tool-calls 467 0 0 26',
  },
  'openai-compaction.1.chunks.txt': {
    text: '3483 aa8ac72b5c75',
    wire: ['42466 ea27246b5246'],
    end: 'end 1305 49792 0 2505',
  },
  'openai-custom-tool.1.chunks.txt': { calls: ['write_sql {}'], end: 'tool-calls 50 0 0 20' },
  'openai-error.1.chunks.txt': { end: 'E_PROVIDER_RATE_LIMIT' },
  'openai-incomplete.sse': { text: '76 cbdb30656f8b', end: 'length 0 0 0 0' },
  'openai-mcp-tool-approval.4.chunks.txt': {
    text: '221 f05900fd58fe',
    wire: ['1791 9b9fca31dd7f', '627 a43952eb4f6d'],
    end: 'end 779 0 0 69',
  },
  'openai-parallel-tools.sse': {
    calls: ['add {"a":2,"b":3}', 'multiply {"a":2,"b":3}'],
    end: 'tool-calls 109 0 0 223',
  },
  'openai-rate-limited.sse': { end: 'E_PROVIDER_RATE_LIMIT' },
  'openai-reasoning-encrypted-content.1.chunks.txt#1': {
    reasoning: '163 e8c4cd892aec',
    calls: ['calculator {"a":12,"b":7,"op":"add"}'],
    wire: ['1375 e385653b237b'],
    end: 'tool-calls 134 0 0 28',
  },
  'openai-reasoning-encrypted-content.1.chunks.txt#2': {
    calls: ['calculator {"a":19,"b":3,"op":"multiply"}'],
    end: 'tool-calls 221 0 0 26',
  },
  'openai-reasoning-encrypted-content.1.chunks.txt#3': {
    calls: ['calculator {"a":57,"b":10,"op":"multiply"}'],
    end: 'tool-calls 260 0 0 26',
  },
  'openai-reasoning-encrypted-content.1.chunks.txt#4': { text: 'The final result is **570**.', end: 'end 299 0 0 12' },
  'openai-reasoning-encrypted-content.1.json': {
    text: '12 + 7 = 19\n19 × 3 = 57\n57 × 10 = 570\n\nFinal result: 570',
    reasoning: '399 1fd85f889116',
    wire: ['2125 0f3fac3f7255'],
    end: 'end 865 0 0 163',
  },
  'openai-web-search-tool.1.chunks.txt': {
    text: '3645 d24e6afa4689',
    wire: [
      '1370 f7375c161730',
      '1683 0bb6a0b5336e',
      '243 45b875bff66e',
      '225 ca640cb01867',
      '225 98bf5a893a1d',
      '265 e7ad3394f22d',
    ],
    end: 'end 27361 3712 0 4416',
  },
  'xai-text-with-reasoning-streaming-store-false.1.chunks.txt': {
    text: '2786 5d8c257390c6',
    reasoning: '754 9a3bf7461267',
    wire: ['2650 5782c09f9453'],
    end: 'end 24 192 0 831',
  },
};

interface WireUnderTest {
  readonly folder: string;
  readonly expected: Expected;
  readonly decoder: () => Decoder;
  /** A whole response as one chunk of a stream. */
  readonly wrap: (body: Json) => Json;
  /** What tells the responses in one recording apart. */
  readonly keyOf: (chunk: JsonObject, before: string) => string;
}

const wires: readonly WireUnderTest[] = [
  {
    folder: 'openai-chat',
    expected: chat,
    decoder: () => new ChatDecoder(),
    wrap(body) {
      const { choices, ...rest } = body as { choices?: JsonObject[] };
      return {
        ...rest,
        ...(choices && { choices: choices.map((choice) => ({ ...choice, delta: choice.message ?? {} })) }),
      };
    },
    keyOf: ({ id }, before) => (typeof id === 'string' && id !== '' ? id : before),
  },
  {
    folder: 'openai-responses',
    expected: responses,
    decoder: () => new ResponsesDecoder(),
    wrap: (response) => ({ type: 'response.completed', response }),
    keyOf: ({ type }, before) => (type === 'response.created' ? `${before}+` : before),
  },
];

function responsesOf({ folder, wrap, keyOf }: WireUnderTest, name: string): SseEvent[][] {
  let key = '';
  const events = recorded(folder, name, wrap).flat();
  const keys = events.map(({ data }) => {
    key = data === '[DONE]' ? key : keyOf(JSON.parse(data) as JsonObject, key);
    return key;
  });
  const first = keys.find(Boolean);
  return [...Map.groupBy(events, (_event, index) => keys[index] || first).values()];
}

for (const wire of wires) {
  const names = recordedNames(wire.folder);

  test(`every recording of ${wire.folder} is expected to come down to something`, () => {
    const expected = new Set(Object.keys(wire.expected).map((key) => key.replace(/#\d+$/, '')));
    expect(names.filter((name) => !expected.has(name))).toEqual([]);
  });

  for (const name of names) {
    test(`recorded: ${wire.folder} ${name}`, () => {
      const all = responsesOf(wire, name);
      for (const [index, events] of all.entries()) {
        const key = all.length > 1 ? `${name}#${index + 1}` : name;
        const blank = { text: '', reasoning: '', calls: [], wire: [] };
        expect(digest(play(wire.decoder(), events))).toEqual({ ...blank, ...wire.expected[key] });
      }
    });
  }
}
