import { expect, it } from 'vitest';
import { callTool } from '../../testing/call-tool.ts';
import { createTempWorkspace } from '../../testing/temp-workspace.ts';
import editFile from './edit-file.ts';
import readFile from './read-file.ts';
import writeFile from './write-file.ts';

const marker = '[redacted: secret value]';

it('security E8: the marker of a secret is never written; a line next to it can be changed', async () => {
  const text = 'PORT=1\nTOKEN=very-secret\nMODE=a\n';
  await using host = createTempWorkspace({ f: text });
  const edit = (old_string: string, new_string: string) =>
    callTool(editFile, host, { file_path: 'f', old_string, new_string });
  await callTool(readFile, host, { file_path: 'f' });
  for (const [before, after] of [
    ['MODE=a', `MODE=b\nTOKEN=${marker}`],
    [`TOKEN=${marker}`, `TOKEN=${marker}\nMODE=b`],
    ['MODE=a', `${marker}`],
  ] as const) {
    const { status, text: said } = await edit(before, after);
    expect([status, said]).toEqual(['error', expect.stringContaining('[redacted: ...]')]);
  }
  const { status, text: said } = await callTool(writeFile, host, {
    file_path: 'f',
    content: text.replace('very-secret', marker),
  });
  expect([status, said]).toEqual(['error', expect.stringMatching(/^Nothing was written: .*\[redacted: \.\.\.\]/)]);
  expect((await callTool(writeFile, host, { file_path: 'new', content: marker })).status).toBe('error');
  expect(host.text('f')).toBe(text);
  expect((await edit('MODE=a', 'MODE=b')).status).toBe('ok');
  expect(host.text('f')).toBe(text.replace('MODE=a', 'MODE=b'));
});

it('a file that holds such words by itself can be edited and written', async () => {
  await using host = createTempWorkspace({ f: `it shows ${marker} then\n` });
  await callTool(readFile, host, { file_path: 'f' });
  const edited = await callTool(editFile, host, {
    file_path: 'f',
    old_string: `shows ${marker}`,
    new_string: `prints ${marker}`,
  });
  const written = await callTool(writeFile, host, { file_path: 'f', content: `only ${marker}\n` });
  expect([edited.status, written.status, host.text('f')]).toEqual(['ok', 'ok', `only ${marker}\n`]);
});
