import { expect, test } from 'vitest';
import { type CommandDefinition, defineCommand } from '../../../protocol/define/command.ts';
import { noUsage } from '../../../protocol/usage.ts';
import { runSlashCommand } from './slash.ts';

function run(command: CommandDefinition['run'], line = '/mine  some words') {
  const mine = defineCommand({ name: 'mine', description: 'Mine', run: command });
  const extensions = async () => ({ commands: new Map([['mine', async () => mine]]), tools: [] });
  const store = async () => ({ usage: async () => ({ usage: noUsage, cost: 0 }) });
  const session = { id: 's', cwd: '/w', model: 'p/m', state: {} };
  return runSlashCommand(line, { cli: {}, harness: { extensions, store }, session, setModel: async () => {} } as never);
}

test('a command gets what stands behind its name, and its output comes back', async () => {
  expect(await run((_session, args) => ({ type: 'text', text: args }))).toEqual({ type: 'text', text: 'some words' });
});

test('a name that is not there is a usage error that names the nearest', async () => {
  await expect(run(() => ({ type: 'quit' }), '/mime')).rejects.toMatchObject({
    code: 'E_USAGE',
    params: { detail: { text: 'cli.usage.commandMeant', command: '/mime', meant: '/mine' } },
  });
});

test.each([
  [
    'throws',
    () => {
      throw new Error('no luck');
    },
    'no luck',
  ],
  ['rejects', () => Promise.reject('no luck'), 'no luck'],
  ['returns nothing', () => undefined as never, 'it returned nothing that has a `type`'],
  ['returns a text', () => 'hello' as never, 'it returned nothing that has a `type`'],
])('a command that %s is named with what it said', async (_what, command, detail) => {
  await expect(run(command)).rejects.toMatchObject({ code: 'E_SLASH_COMMAND', params: { name: 'mine', detail } });
});
