// Approvals as a person at a terminal has them.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CliHome, createCliHome } from './cli-home.ts';
import { startTerminal, type Terminal } from './terminal.ts';

const write = (file_path: string, content = 'x') => ({ name: 'write_file', input: { file_path, content } });
const bash = (command: string) => ({ name: 'bash', input: { command } });

/** A conversation whose model makes these calls, one a turn; the prompt has been sent. */
async function talk(calls: { name: string; input: object }[], args: readonly string[] = []) {
  const turns = calls.map((call) => ({ calls: [call] }));
  const cli = await createCliHome({ script: [...turns, { text: 'All done.' }] } as never);
  const terminal = startTerminal(cli, ['chat', '.', ...args]);
  await terminal.until(/> $/);
  terminal.type('go\r');
  return {
    cli,
    terminal,
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await cli[Symbol.asyncDispose]();
    },
  };
}

const choices = /say why not: /;
const read = (cli: CliHome, name: string) => readFile(join(cli.workspace, name), 'utf8').catch(() => undefined);
const finish = (terminal: Terminal) => terminal.until(/All done\.[\s\S]*> $/);

describe('security I7: keys typed before a question is there', () => {
  test.each([
    ['a whole answer', 'y\r'],
    ['several', 'y\ry\r\ry\r'],
    ['an answer not yet sent', 'y'],
    ['a beginning of one, moved about in', 'yes\u001b[D\u001b[D'],
  ])('%s: they do not answer it', async (_, keys) => {
    const cli = await createCliHome({
      script: [{ text: 'Thinking aloud.', calls: [write('a.txt')], delayMs: 0 }, { text: 'All done.' }],
    } as never);
    await using terminal = startTerminal(cli, ['chat', '.']);
    await terminal.until(/> $/);
    // All in one piece: the answer lies in the terminal before the question is drawn.
    terminal.type(`go\r${keys}`);
    await terminal.until(choices);
    terminal.type('\r');
    // Nothing but what is typed now counts; an empty line means nothing, so it is asked once more.
    await terminal.until(choices);
    expect(await read(cli, 'a.txt')).toBeUndefined();
    terminal.type('y\r');
    await finish(terminal);
    expect(await read(cli, 'a.txt')).toBe('x');
    await cli[Symbol.asyncDispose]();
  });

  test('they do not answer the second of two questions', async () => {
    await using rig = await talk([write('a.txt'), write('b.txt')]);
    await rig.terminal.until(choices);
    rig.terminal.type('y\ry\r');
    await rig.terminal.until(/b\.txt[\s\S]*say why not: /);
    expect(await read(rig.cli, 'a.txt')).toBe('x');
    expect(await read(rig.cli, 'b.txt')).toBeUndefined();
    rig.terminal.type('n\r');
    await rig.terminal.until(/> $/);
    expect(await read(rig.cli, 'b.txt')).toBeUndefined();
  });
});

test('security F4, I1: what is odd about a call is said before it can be allowed', async () => {
  const command = 'echo аpple > log; curl https://аpple.com/x https://user@198.51.100.7/ \u202eevil';
  await using rig = await talk([bash(command)], ['--sandbox', 'external']);
  const seen = await rig.terminal.until(choices);
  for (const warning of [
    'contains characters that are not visible',
    'has words with letters of two alphabets that look alike',
    'in full it is xn--pple-43d.com',
    'the host is 198.51.100.7',
    'runs echo аpple · curl',
  ]) {
    expect(seen).toContain(warning);
  }
  expect(seen).toContain('\\u{202e}evil');
  expect(seen).not.toContain('\u202e');
  rig.terminal.type('no\r');
  await rig.terminal.until(/> $/);
});

test('security I2: a long command is cut, cannot be allowed so, and is whole when it is asked for', async () => {
  const command = `echo ${'a '.repeat(300)}> log\n${'true\n'.repeat(30)}echo END >> log`;
  await using rig = await talk([bash(command)], ['--sandbox', 'external']);
  const short = await rig.terminal.until(choices);
  expect(short).toMatch(/lines hidden …[\s\S]*echo END >> log/);
  expect(short).toContain('[v]iew all of it');
  expect(short.match(/true/g)?.length ?? 0).toBeLessThan(10);
  rig.terminal.type('y\r');
  const whole = await rig.terminal.until(choices);
  expect(whole.match(/^ +true$/gm)).toHaveLength(30);
  expect(await read(rig.cli, 'log')).toBeUndefined();
  rig.terminal.type('y\r');
  await finish(rig.terminal);
  expect(await read(rig.cli, 'log')).toBe(`${'a '.repeat(300).trim()}\nEND\n`);
});

describe('an answer', () => {
  test('changes the call: what was typed is what runs', async () => {
    await using rig = await talk([write('a.txt', 'bidi \u202e')]);
    await rig.terminal.until(choices);
    rig.terminal.type('e\r');
    const line = await rig.terminal.until(/Change it: \{.*\}/);
    expect(line).toContain('{"file_path":"a.txt","content":"bidi \\u202e"}');
    // The whole line goes, then another call is written.
    rig.terminal.type('\u0015not JSON\r');
    await rig.terminal.until(/no JSON object/);
    await rig.terminal.until(choices);
    rig.terminal.type('e\r');
    await rig.terminal.until(/Change it: \{.*\}/);
    rig.terminal.type('\u0015{"file_path":"b.txt","content":"mine"}\r');
    await finish(rig.terminal);
    expect([await read(rig.cli, 'a.txt'), await read(rig.cli, 'b.txt')]).toEqual([undefined, 'mine']);
  });

  test('rejects it with a reason, which the model is told', async () => {
    await using rig = await talk([write('a.txt')]);
    await rig.terminal.until(choices);
    rig.terminal.type('use another name\r');
    await finish(rig.terminal);
    expect(await read(rig.cli, 'a.txt')).toBeUndefined();
    expect(JSON.stringify(rig.cli.server.requests.at(-1)?.body)).toContain('use another name');
  });
});
