// A conversation as a person at a terminal has it: what they type, what they are told.
import { describe, expect, test } from 'vitest';
import { createCliHome } from './cli-home.ts';
import { startTerminal } from './terminal.ts';

const limit = { timeout: 40_000 };
const choices = /say why not: /;

describe('a prompt of several lines', () => {
  test.each([
    ['pasted', '\x1b[200~one\rtwo\nthree\x1b[201~\r'],
    ['pasted in pieces, and gone on with', '\x1b[200~one\rt\x1b[201~wo\x1b[200~\nthree\x1b[201~\r'],
    ['typed with Alt-Enter', 'one\x1b\rtwo\x1b\rthree\r'],
    ['joined by a \\ at the end of a line', 'one\\\rtwo\\\rthree\r'],
  ])('%s is one prompt with its lines', limit, async (_, keys) => {
    await using cli = await createCliHome({ script: [{ text: 'All done.' }, { text: 'Once more.' }] });
    await using terminal = startTerminal(cli, ['chat', '.']);
    await terminal.until(/> $/);
    terminal.type(keys);
    await terminal.until(/All done\.[\s\S]*> $/);
    expect(cli.server.requests.map(({ userTexts }) => userTexts.at(-1))).toEqual(['one\ntwo\nthree']);
  });

  test('the terminal marks what is pasted, and is left as it was', limit, async () => {
    await using cli = await createCliHome({ script: [] });
    await using terminal = startTerminal(cli, ['chat', '.']);
    await terminal.until(/> $/);
    terminal.type('\x04');
    expect(await terminal.ended).toBe(0);
    expect(terminal.written().match(/\x1b\[\?2004[hl]/g)).toEqual(['\x1b[?2004h', '\x1b[?2004l']);
  });

  test('is no answer to a question that comes between, and that is said', limit, async () => {
    const calls = [{ name: 'write_file', input: { file_path: 'a.txt', content: 'x' } }];
    await using cli = await createCliHome({ script: [{ calls }, { text: 'All done.' }] });
    await using terminal = startTerminal(cli, ['chat', '.']);
    await terminal.until(/> $/);
    terminal.type('go\rand then\rthe rest');
    expect(await terminal.until(choices)).toContain(
      'Typed before this question was there, and left out: and then⏎the rest',
    );
    terminal.type('n\r');
    await terminal.until(/> $/);
  });
});

test('what "always" means is said where it is asked', limit, async () => {
  const calls = [{ name: 'bash', input: { command: 'touch a.txt' } }];
  await using cli = await createCliHome({ script: [{ calls }, { text: 'All done.' }] });
  expect((await cli.run(['trust', '--yes'])).exit).toBe(0);
  await using terminal = startTerminal(cli, ['chat', '.', '--sandbox', 'external']);
  await terminal.until(/> $/);
  terminal.type('go\r');
  expect(await terminal.until(choices)).toContain('(always: in every folder, stored in your own configuration)');
  terminal.type('n\r');
  await terminal.until(/> $/);
});
