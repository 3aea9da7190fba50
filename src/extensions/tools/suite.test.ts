import { describe, expect, it } from 'vitest';
import type { DefinedTool } from '../../protocol/define/tool.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { bindTool } from '../../testing/call-tool.ts';
import { pathFields, toolSuite } from '../../testing/tool-suite.ts';
import { type ToolName, tools } from './index.ts';

/** An input that works in a workspace with `file.txt`. Without one, a tool is put to the other cases alone. */
const valid: { readonly [name in ToolName]?: JsonObject } = {
  ls: {},
  read_file: { file_path: 'file.txt' },
  write_file: { file_path: 'new/file.txt', content: 'text' },
  edit_file: { file_path: 'file.txt', old_string: 'text', new_string: 'word' },
  glob: { pattern: '*.txt' },
  grep: { pattern: 'te' },
  bash: { command: 'echo hello' },
  bash_control: { action: 'list' },
};

const all: readonly DefinedTool[] = tools;
for (const tool of all) toolSuite(tool.name, tool, { describe, it, valid: valid[tool.name as ToolName] });

const files = ['edit_file', 'glob', 'grep', 'ls', 'read_file', 'write_file'];

it('knows which fields of the built-in tools are paths (security A5)', () => {
  const withPaths = all.filter((tool) => pathFields(tool).length > 0).map(({ name }) => name);
  expect(withPaths).toEqual(expect.arrayContaining(files));
});

it('tells the model about these nine tools in less than 4 KB', () => {
  const names = [...files, 'bash', 'bash_control', 'ask_user'];
  const schemas = names.map((name) => bindTool(all.find((tool) => tool.name === name)!, {} as never).schema);
  expect(JSON.stringify(schemas).length).toBeLessThan(4000);
});
