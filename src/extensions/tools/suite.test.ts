import { describe, expect, it } from 'vitest';
import type { DefinedTool } from '../../protocol/define/tool.ts';
import { bindTool } from '../../testing/call-tool.ts';
import { pathFields, toolSuite } from '../../testing/tool-suite.ts';
import askUser from './ask-user.ts';
import bash from './bash.ts';
import bashControl from './bash-control.ts';
import editFile from './edit-file.ts';
import glob from './glob.ts';
import grep from './grep.ts';
import { tools } from './index.ts';
import ls from './ls.ts';
import readFile from './read-file.ts';
import webFetch from './web-fetch.ts';
import writeFile from './write-file.ts';

toolSuite('ls', ls, { describe, it, valid: {} });
toolSuite('read_file', readFile, { describe, it, valid: { file_path: 'file.txt' } });
toolSuite('write_file', writeFile, { describe, it, valid: { file_path: 'new/file.txt', content: 'text' } });
toolSuite('edit_file', editFile, {
  describe,
  it,
  valid: { file_path: 'file.txt', old_string: 'text', new_string: 'word' },
});
toolSuite('glob', glob, { describe, it, valid: { pattern: '*.txt' } });
toolSuite('grep', grep, { describe, it, valid: { pattern: 'te' } });
toolSuite('bash', bash, { describe, it, valid: { command: 'echo hello' } });
toolSuite('bash_control', bashControl, { describe, it, valid: { action: 'list' } });
toolSuite('ask_user', askUser, { describe, it });
toolSuite('web_fetch', webFetch, { describe, it });

const files: readonly DefinedTool[] = [ls, readFile, writeFile, editFile, glob, grep];

it('knows every built-in tool that takes a path (security A5)', () => {
  const withPaths = (tools as readonly DefinedTool[]).filter((tool) => pathFields(tool).length > 0);
  expect(withPaths.map((tool) => tool.name).sort()).toEqual(files.map((tool) => tool.name).sort());
});

it('tells the model about these nine tools in less than 4 KB', () => {
  const schemas = [...files, bash, bashControl, askUser].map((tool) => bindTool(tool, {} as never).schema);
  expect(JSON.stringify(schemas).length).toBeLessThan(4000);
});
