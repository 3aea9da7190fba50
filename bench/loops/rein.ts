/** Rein through its library door, with everything on: gate, hooks, a middleware with every step, the log in SQLite. */
import { mkdirSync } from 'node:fs';
import { createHarness, type DefinedTool, defineHook, defineMiddleware, defineTool, type ReinEvent, z } from 'rein';
import { echo, type Loop, type LoopOptions, sleep } from './loop.ts';

const tools = [
  defineTool({
    name: echo.name,
    description: echo.description,
    input: z.object({ text: z.string().describe('The line') }),
    risk: 'read',
    execute: echo.execute,
  }),
  defineTool({
    name: sleep.name,
    description: sleep.description,
    input: z.object({ ms: z.number().describe('How many') }),
    risk: 'read',
    execute: sleep.execute,
  }),
];

const everyStep = defineMiddleware({
  name: 'every-step',
  beforeAgent() {},
  beforeModel() {},
  wrapModelCall: (request, next) => next(request),
  wrapToolCall: (call, next) => next(call),
  afterModel() {},
  afterAgent() {},
});

const hooks = [
  defineHook({ name: 'policy', event: 'PreToolUse', run: () => ({ decision: 'allow' }) }),
  defineHook({ name: 'observer', event: 'PostToolUse', run() {} }),
];

export interface More {
  readonly tools?: readonly DefinedTool[];
  onEvent?(event: ReinEvent): void;
  /** After each run. */
  onEnd?(): void;
}

export function createLoop(options: LoopOptions): Promise<Loop> {
  return createRein(options);
}

/** The loop, and what else is to be in it. */
export async function createRein({ baseUrl, model, folder }: LoopOptions, more: More = {}): Promise<Loop> {
  const cwd = `${folder}/workspace`;
  mkdirSync(cwd, { recursive: true });
  const harness = await createHarness({
    home: `${folder}/home`,
    cwd,
    env: { PATH: process.env.PATH, CUSTOM_BASE_URL: baseUrl, CUSTOM_API_KEY: 'x', CUSTOM_MODEL_NAME: model },
    flags: { maxTurns: 1000 },
    tools: [...tools, ...(more.tools ?? [])],
    middleware: [everyStep],
    hooks,
  });
  // What the library loads only when it is needed, other libraries load with their import.
  await Promise.all([harness.store(), harness.extensions(), harness.sources()]);
  return {
    async run(prompt, onText) {
      const session = await harness.open();
      session.listen((event) => {
        if (event.type === 'text-delta') onText(event.text);
        more.onEvent?.(event);
      });
      const { text, error } = await session.run(prompt);
      if (error) throw new Error(`${error.code} ${JSON.stringify(error.params)}`);
      more.onEnd?.();
      return text;
    },
    async close() {
      const store = await harness.store();
      for (const { id } of await store.list()) await store.indexSession(id);
      await harness.close();
    },
  };
}
