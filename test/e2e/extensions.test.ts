import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createTempHome } from '../../src/testing/temp-home.ts';

const worker = join(import.meta.dirname, 'extensions-worker.ts');

/** What a real process makes of a home: the test runner would load files in a way of its own. */
async function run(home: string, cwd: string) {
  const { stdout } = await promisify(execFile)(process.execPath, [worker, home, cwd]);
  return JSON.parse(stdout);
}

async function fill(folder: string, contents: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(contents)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

const files = {
  'tools/greet.ts': `
    import { defineTool, z } from 'rein';
    interface Name { name: string }
    export default defineTool({
      name: 'greet', description: 'Greets.', input: z.object({ name: z.string() }), risk: 'read',
      execute: ({ name }: Name) => 'hello ' + name,
    });`,
  'middleware/shout.ts': `
    import { defineMiddleware } from 'rein';
    export default defineMiddleware({
      name: 'shout',
      wrapToolCall: async (call, next) => {
        const result = await next(call);
        return { ...result, content: result.content.map((part) => part.type === 'text' ? { ...part, text: part.text.toUpperCase() } : part) };
      },
    });`,
  'hooks/watch.js': `
    import { defineHook } from 'rein';
    globalThis.seenByHook = [];
    export default defineHook({ name: 'watch', event: 'PostToolUse', run: ({ tool, output }) => { globalThis.seenByHook.push(tool + ': ' + output); } });`,
  'providers/parrot.ts': `
    import { defineProvider } from 'rein';
    export default defineProvider({
      name: 'parrot', defaultModel: 'grey', keyless: true,
      create: () => ({
        name: 'parrot',
        async *stream(request: { messages: readonly { role: string }[] }) {
          const call = { type: 'tool-call', id: 'c1', name: 'greet', input: { name: 'Ada' } };
          const part = request.messages.at(-1)?.role === 'tool' ? { type: 'text', text: 'done' } : call;
          yield { type: 'part', part };
          yield { type: 'end', stop: 'end', usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } };
        },
        listModels: async () => [], testConnection: async () => ({ ok: true, detail: 'OK' }),
      }),
    });`,
  'commands/wave.ts': `
    import { defineCommand } from 'rein';
    export default defineCommand({ name: 'wave', description: 'Waves.', run: () => ({ type: 'text', text: 'o/' }) });`,
};

it('one file of each extension kind in an empty home works, with no other change, also behind a link', async () => {
  await using place = await createTempHome();
  await fill(place.home, files);
  const link = `${place.home}-link`;
  await symlink(place.home, link);
  expect(await run(link, place.workspace)).toEqual({
    warnings: [],
    stop: 'completed',
    text: 'done',
    results: ['HELLO ADA'],
    seenByHook: ['greet: HELLO ADA'],
    command: { type: 'text', text: 'o/' },
  });
});

it('a file that does not load is named with the reason, and the others still work', async () => {
  await using place = await createTempHome();
  await fill(place.home, {
    ...files,
    'tools/a-enum.ts': 'export enum Color { Red }\nexport default {};',
    'tools/b-syntax.ts': 'export default {',
    'tools/c-throws.js': "throw new Error('no luck');",
    'tools/d-other.js': 'export default { name: "x" };',
    'tools/e-outside.ts': "import '../../outside.js';\nexport default {};",
    'tools/f-empty.js': '',
    'tools/notes.txt': 'not an extension',
  });
  await writeFile(join(place.home, '..', 'outside.js'), '');
  const { warnings, stop } = await run(place.home, place.workspace);
  expect(stop).toBe('completed');
  expect(warnings).toEqual(
    [
      ['E_EXTENSION_LOAD', 'a-enum.ts', expect.stringContaining('enum')],
      ['E_EXTENSION_LOAD', 'b-syntax.ts', expect.any(String)],
      ['E_EXTENSION_LOAD', 'c-throws.js', 'no luck'],
      ['E_EXTENSION_INVALID', 'd-other.js', undefined],
      ['E_EXTENSION_LOAD', 'e-outside.ts', expect.stringContaining('outside the extension folders')],
      ['E_EXTENSION_INVALID', 'f-empty.js', undefined],
    ].map((row) => row.map((value) => value ?? null)),
  );
});

it('two tools with one name are an error that names both files', async () => {
  await using place = await createTempHome();
  await fill(place.home, { 'tools/one.ts': files['tools/greet.ts'], 'tools/two.ts': files['tools/greet.ts'] });
  expect(await run(place.home, place.workspace)).toEqual({
    code: 'E_EXTENSION_CLASH',
    params: { name: 'greet', first: join(place.home, 'tools/one.ts'), second: join(place.home, 'tools/two.ts') },
  });
});
