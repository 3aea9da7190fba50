// What `npm run new <kind> <name>` writes. One entry a kind: the files, each with its path and text.

export interface Template {
  /** One line for the help. */
  about: string;
  /** A text for people to add to the dictionaries, by file; the line goes to the end of the object there. */
  texts?(name: Name): Record<string, string>;
  files(name: Name): Record<string, string>;
}

export interface Name {
  /** As given: `read-file`. */
  kebab: string;
  /** As the model sees it: `read_file`. */
  snake: string;
  /** As a key of the dictionary: `readFile`. */
  camel: string;
}

const extension = (kind: string, name: Name, source: string, test: string) => ({
  [`src/extensions/${kind}/${name.kebab}.ts`]: source,
  [`src/extensions/${kind}/${name.kebab}.test.ts`]: test,
});

export const templates: Record<string, Template> = {
  tool: {
    about: 'something the model can choose to call',
    files: (name) =>
      extension(
        'tools',
        name,
        `/** Tool \`${name.snake}\`: say here what it does and what it must not do. */
import { inputSchema } from '../../protocol/define/input.ts';
import { defineTool } from '../../protocol/define/tool.ts';

export default defineTool({
  name: '${name.snake}',
  description: 'What it does, when to use it, what comes back. The model reads this.',
  input: inputSchema({
    type: 'object',
    properties: { text: { description: 'What the field means', type: 'string' } },
    required: ['text'],
  }),
  risk: 'read',
  execute({ text }) {
    return \`\${text.length} characters\`;
  },
});
`,
        `import { expect, test } from 'vitest';
import { isTool } from '../../protocol/define/tool.ts';
import tool from './${name.kebab}.ts';

test('${name.snake} counts the characters', async () => {
  expect(isTool(tool)).toBe(true);
  expect(tool.name).toBe('${name.snake}');
  expect(await tool.execute?.({ text: 'hello' } as never, {} as never)).toBe('5 characters');
});
`,
      ),
  },

  middleware: {
    about: 'code around every model or tool call',
    files: (name) =>
      extension(
        'middleware',
        name,
        `/** Middleware \`${name.kebab}\`: say here what it adds and why it stands in its slot. */
import { defineMiddleware } from '../../protocol/define/middleware.ts';

export default defineMiddleware({
  name: '${name.kebab}',
  slot: 'user',
  async wrapModelCall(request, next) {
    return next(request);
  },
});
`,
        `import { expect, test } from 'vitest';
import { isMiddleware } from '../../protocol/define/middleware.ts';
import middleware from './${name.kebab}.ts';

test('${name.kebab} passes the request on', async () => {
  expect(isMiddleware(middleware)).toBe(true);
  const seen: unknown[] = [];
  const next = async (request: unknown) => seen.push(request);
  await middleware.wrapModelCall?.('request' as never, next as never, {} as never);
  expect(seen).toEqual(['request']);
});
`,
      ),
  },

  hook: {
    about: 'code at a point of the life cycle',
    files: (name) =>
      extension(
        'hooks',
        name,
        `/** Hook \`${name.kebab}\`: say here what it watches. */
import { defineHook } from '../../protocol/define/hook.ts';

export default defineHook({
  name: '${name.kebab}',
  event: 'PostToolUse',
  run(_input) {
    return undefined;
  },
});
`,
        `import { expect, test } from 'vitest';
import { isHook } from '../../protocol/define/hook.ts';
import hook from './${name.kebab}.ts';

test('${name.kebab} has no opinion', async () => {
  expect(isHook(hook)).toBe(true);
  expect(await hook.run({} as never, {} as never)).toBeUndefined();
});
`,
      ),
  },

  provider: {
    about: 'a model behind the provider port',
    files: (name) =>
      extension(
        'providers',
        name,
        `/** Provider \`${name.kebab}\`: say here which service it speaks to. */
import { defineProvider } from '../../protocol/define/provider.ts';

export default defineProvider({
  name: '${name.kebab}',
  envPrefix: '${name.snake.toUpperCase()}',
  defaultModel: 'echo',
  create: () => ({
    name: '${name.kebab}',
    async *stream(_request, signal) {
      signal.throwIfAborted();
      const text = 'Hello.';
      yield { type: 'text-delta', text };
      yield { type: 'part', part: { type: 'text', text } };
      yield { type: 'end', stop: 'end', usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };
    },
    listModels: async () => [{ id: 'echo' }],
    testConnection: async () => ({ ok: true, detail: 'OK' }),
  }),
});
`,
        `import { expect, test } from 'vitest';
import { isProvider } from '../../protocol/define/provider.ts';
import provider from './${name.kebab}.ts';

// When it speaks to a server, put it to providerSuite too: see src/testing/provider-suite.test.ts.
test('${name.kebab} ends its stream', async () => {
  expect(isProvider(provider)).toBe(true);
  const types: string[] = [];
  const { stream } = await provider.create({});
  for await (const event of stream({} as never, new AbortController().signal)) {
    types.push(event.type);
  }
  expect(types).toEqual(['text-delta', 'part', 'end']);
});
`,
      ),
  },

  command: {
    about: 'a slash command',
    texts: ({ camel }) => ({
      'src/services/i18n/locales/en/commands.ts': `  ${camel}: 'Say in a few words what it does',\n`,
      'src/services/i18n/locales/zh-CN/commands.ts': `  ${camel}: '用几个字说明它的作用',\n`,
      'src/services/i18n/locales/zh-TW/commands.ts': `  ${camel}: '用幾個字說明它的作用',\n`,
    }),
    files: (name) =>
      extension(
        'commands',
        name,
        `/** Slash command \`/${name.kebab}\`: say here what it answers. */
import { defineCommand } from '../../protocol/define/command.ts';

export default defineCommand({
  name: '${name.kebab}',
  description: 'commands.${name.camel}',
  run(_session, args) {
    return { type: 'text', text: args };
  },
});
`,
        `import { expect, test } from 'vitest';
import { isCommand } from '../../protocol/define/command.ts';
import command from './${name.kebab}.ts';

test('/${name.kebab} answers', async () => {
  expect(isCommand(command)).toBe(true);
  expect(await command.run({} as never, 'hello')).toEqual({ type: 'text', text: 'hello' });
});
`,
      ),
  },

  skill: {
    about: 'a workflow in Markdown',
    files: (name) => ({
      [`skills/${name.kebab}/SKILL.md`]: `---
name: ${name.kebab}
description: What this skill is for and when to use it, in one sentence.
---

1. First step.
2. Second step.
`,
    }),
  },

  agent: {
    about: 'a sub-agent',
    files: (name) => ({
      [`agents/${name.kebab}.md`]: `---
name: ${name.kebab}
description: What this agent is good at and when to give it work, in one sentence.
tools: [ls, read_file, glob, grep]
maxTurns: 20
---

You are … Say what the agent does, what it must not do, and what its last message must contain.
`,
    }),
  },
};
