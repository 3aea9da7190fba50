/** What every measured loop is: a module with `createLoop`. All get the same prompt and the same two tools. */

export interface LoopOptions {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** For what the loop wants to keep. */
  readonly folder: string;
}

export interface Loop {
  /** Works until the model has said its last word, and returns it. */
  run(prompt: string, onText: (text: string) => void): Promise<string>;
  /** What can be done later, such as an index for searching. Its time does not count, what it stores does. */
  close?(): Promise<void>;
}

export interface LoopModule {
  createLoop(options: LoopOptions): Promise<Loop>;
}

export const system = 'You are a careful assistant. Use the tools you are given, then answer briefly.';

const kilobyte = 'The quick brown fox jumps over the lazy dog 0123456789. '.repeat(19).slice(0, 1024);

export const echo = {
  name: 'echo',
  description: 'Echo a line of text back',
  parameters: objectOf({ text: { type: 'string', description: 'The line' } }),
  execute: async (_input: { text: string }) => kilobyte,
};

export const sleep = {
  name: 'sleep',
  description: 'Wait some milliseconds',
  parameters: objectOf({ ms: { type: 'number', description: 'How many' } }),
  async execute({ ms }: { ms: number }) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return 'slept';
  },
};

/** Both tools as Chat Completions wants them. */
export const chatTools = [echo, sleep].map(({ name, description, parameters }) => ({
  type: 'function',
  function: { name, description, parameters },
}));

export async function callTool(name: string, json: string): Promise<string> {
  const input = JSON.parse(json);
  return name === 'sleep' ? sleep.execute(input) : echo.execute(input);
}

function objectOf(properties: Readonly<Record<string, { type: string; description: string }>>) {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
