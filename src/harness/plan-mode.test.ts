import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { digest } from '../lib/digest.ts';
import { defineHook } from '../protocol/define/hook.ts';
import { defineTool } from '../protocol/define/tool.ts';
import type { JsonObject } from '../protocol/json.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createTempHome } from '../testing/temp-home.ts';
import { createHarness } from './create-harness.ts';

async function hashOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return [path, entry.isFile() ? readFileSync(path, 'latin1') : 'folder'];
  });
  return digest(files.sort());
}

const bash = (command: string) => ({ name: 'bash', input: { command } });
const calls: { name: string; input: JsonObject }[] = [
  { name: 'write_file', input: { file_path: 'made', content: 'x' } },
  { name: 'edit_file', input: { file_path: 'n.txt', old_string: 'one', new_string: 'two' } },
  ...['echo x > made', 'echo x >> n.txt', 'ls 2> made', 'cat n.txt | tee made', 'mkdir made', 'rm n.txt'].map(bash),
  ...['sed -i s/one/two/ n.txt', 'ls $(touch made)', 'find . -delete', 'sort -o made n.txt', 'touch made'].map(bash),
  ...['git init .', 'node -e "fs.writeFileSync(1)"', 'sh -c "touch made"', 'ls\ntouch made', 'cat <(touch made)'].map(
    bash,
  ),
  { name: 'act', input: {} },
  { name: 'mcp__server__look', input: {} },
  { name: 'task', input: { agent: 'general', prompt: 'the child part' } },
];

it.each(['off', 'external', 'preferred'] as const)(
  'security P6: in plan mode nothing changes, by tool, command, sub-agent, server or hook; sandbox: %s',
  async (sandbox) => {
    await using place = await createTempHome({ 'n.txt': 'one\n', 'src/a.ts': '' });
    const ran: string[] = [];
    const tool = (name: string, risk: 'read' | 'write') =>
      defineTool({
        ...{ name, risk, description: 'Acts.', input: z.object({}) },
        execute: () => {
          ran.push(name);
          return 'did';
        },
      });
    const provider = createScriptedProvider({
      respond: ({ userTexts, results }) => {
        const isChild = userTexts.some((text) => text.includes('the child part'));
        const mine = isChild ? calls.slice(0, -1) : calls;
        return results.length < mine.length ? { calls: [mine[results.length]!] } : { text: 'done' };
      },
    });
    const hooks = (['PreToolUse', 'PermissionRequest'] as const).map((event) =>
      defineHook({ name: event, event, run: ({ input }) => ({ decision: 'allow', input }) }),
    );
    const harness = await createHarness({
      ...{
        home: place.home,
        cwd: place.workspace,
        env: { PATH: process.env.PATH },
        provider,
        hooks,
        interactive: true,
      },
      tools: [tool('act', 'write'), tool('mcp__server__look', 'read')],
      flags: {
        permissionMode: 'plan',
        sandbox,
        allow: ['bash', 'write_file', 'edit_file', 'act', 'mcp__server__look'],
        maxTurns: 100,
      },
    });
    const before = await hashOf(place.workspace);
    const session = await harness.open();
    const { stop, refused } = await session.run('go');
    await harness.close();
    expect([stop, ran, await hashOf(place.workspace)]).toEqual(['completed', [], before]);
    // Each was refused, for the child as for its parent.
    expect(refused).toHaveLength(2 * (calls.length - 1));
  },
);
