import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ErrorData } from '../../protocol/errors.ts';
import { checkAgentTools } from './check-tools.ts';
import { loadAgents } from './load.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rein-agents-'));
});
afterEach(async () => {
  await rm(root, { recursive: true });
});

it('case P27: tools that nobody has are reported with file and line, however the list is written', async () => {
  const heads = {
    beside: 'description: wants frobnicate\ntools: Read, frobnicate\nmodel: m',
    brackets: 'tools: [read_file, "frobnicate"]\ndescription: d',
    below: 'description: d\ntools:\n  - Read\n  - frobnicate',
    // Glob is an alias of a tool that is not there.
    alias: 'description: d\ntools: Glob, grep',
    known: 'description: d\ntools: Grep, mcp__web__search',
    all: 'description: frobnicate\ntools: "*"',
    none: 'description: d',
  };
  for (const [name, head] of Object.entries(heads))
    await writeFile(join(root, `${name}.md`), `---\n${head}\n---\nBody.`);
  const warnings: ErrorData[] = [];
  const agents = await loadAgents([root], (warning) => warnings.push(warning));
  checkAgentTools(agents.values(), new Set(['read_file', 'grep']), (warning) => warnings.push(warning));
  const report = (name: string, line: number, tool: string) => ({
    code: 'E_AGENT_FILE',
    params: { file: join(root, `${name}.md`), line, detail: `tools: there is no tool "${tool}"` },
  });
  expect(warnings.map(({ code, params }) => ({ code, params }))).toEqual([
    report('alias', 3, 'glob'),
    report('below', 5, 'frobnicate'),
    report('beside', 3, 'frobnicate'),
    report('brackets', 2, 'frobnicate'),
  ]);
});
