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

describe('Ctrl-C', () => {
  const edit = async (...script: object[]) => {
    const cli = await createCliHome({ script: [...script] } as never);
    const terminal = startTerminal(cli, ['chat', '.']);
    await terminal.until(/> $/);
    terminal.type('go\r');
    await terminal.until(choices);
    return { cli, terminal };
  };
  const calls = [{ name: 'write_file', input: { file_path: 'a.txt', content: 'x' } }];

  test.each([
    ['while a call is changed', 'e\r', /Change it: \{.*\}/],
    ['in the midst of an answer', 'because', /because/],
  ])('%s leaves nothing in the next prompt, and says how to go on', limit, async (_, keys, shown) => {
    const { cli, terminal } = await edit({ calls }, { text: 'All done.' });
    terminal.type(keys);
    await terminal.until(shown);
    terminal.type('\x03');
    const left = await terminal.until(/say what to do next\.\n> $/);
    expect(left).toMatch(/^ {2}cancelled: /m);
    expect(left).not.toMatch(/^ *not run|`-c`/m);
    terminal.type('again\r');
    await terminal.until(/All done\./);
    expect(cli.server.requests.at(-1)?.userTexts.at(-1)).toBe('again');
    await terminal[Symbol.asyncDispose]();
    await cli[Symbol.asyncDispose]();
  });

  test('on a command that runs says that it was cancelled, with what it printed', limit, async () => {
    const run = [{ name: 'bash', input: { command: 'echo hi; sleep 100' } }];
    const { cli, terminal } = await edit({ calls: run });
    terminal.type('y\r');
    await terminal.until(/\n/);
    terminal.type('\x03');
    expect(await terminal.until(/say what to do next\./)).toMatch(/^ {2}(cancelled|interrupted): /m);
    await terminal[Symbol.asyncDispose]();
    await cli[Symbol.asyncDispose]();
  });
});

test(
  'commands are completed with Tab; one that is not there, and a wrong choice, are said in its own words',
  limit,
  async () => {
    await using cli = await createCliHome({ script: [{ text: 'All done.' }] });
    await using terminal = startTerminal(cli, ['chat', '.', '-m', 'custom']);
    await terminal.until(/> $/);
    terminal.type('/nosuch\r');
    expect(await terminal.until(/> $/)).toContain('`/help` lists the commands.');
    terminal.type('/mod\t');
    await terminal.until(/\/model/);
    terminal.type('\r');
    expect(await terminal.until(/\? $/)).toMatch(/now it is custom\/scripted[\s\S]*1\. custom\//);
    terminal.type('99\r');
    await terminal.until(/Choose a number from 1 to \d+; nothing was done\.\n> $/);
  },
);

test('a conversation that goes on shows how it was left', limit, async () => {
  await using cli = await createCliHome({ script: [{ text: 'It is blue.' }] });
  expect((await cli.run(['-p', 'Which colour?'])).exit).toBe(0);
  await using terminal = startTerminal(cli, ['-c']);
  expect(await terminal.until(/> $/)).toMatch(/: Which colour\?\nIt is blue\.\n/);
});
