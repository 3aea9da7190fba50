import { expect, test } from 'vitest';
import { type CommandOutput, type CommandSession, isCommand } from '../../protocol/define/command.ts';
import '../../services/i18n/all-languages.ts';
import { label, languages } from '../../services/i18n/translate.ts';
import { commands } from './index.ts';

type Name = keyof typeof commands;

const session = (given: Partial<CommandSession> = {}): CommandSession => ({
  id: 's1',
  cwd: '/w',
  model: 'openai/o',
  lang: 'en',
  t: (key, params) => label(key, 'en', params),
  commands: () => [
    { name: 'help', description: 'commands.help' },
    { name: 'mine', description: 'My own' },
  ],
  tools: () => [],
  models: async () => ['openai/o', 'openai/p'],
  setModel: async () => {},
  sessions: async () => [
    { id: 's1', title: 'this', updated: 0 },
    { id: 's2', title: 'other', updated: 0 },
    { id: 's3', title: '', updated: 0 },
  ],
  compact: async () => ({ before: 120, after: 9 }),
  usage: () => ({ input: 1234, output: 5, cacheRead: 6, cacheWrite: 7, cost: 0.12345 }),
  ...given,
});

const run = async (name: Name, args = '', given: Partial<CommandSession> = {}): Promise<CommandOutput> =>
  (await commands[name]()).default.run(session(given), args);

test('each is branded, named like its file and described in every language', async () => {
  for (const [name, load] of Object.entries(commands)) {
    const command = (await load()).default;
    expect(isCommand(command)).toBe(true);
    expect(command.name).toBe(name);
    for (const language of languages) {
      const missing = `locales/${language}/commands.ts has no text "${command.description}", the description of /${name}`;
      expect(label(command.description, language), missing).not.toBe(command.description);
    }
  }
});

test('help lists every command, also a user’s own', async () => {
  expect(await run('help')).toEqual({ type: 'text', text: '/help  List all commands\n/mine  My own' });
});

test('compact makes the history shorter and says by how much', async () => {
  expect(await run('compact')).toEqual({ type: 'text', text: 'The history has 9 messages now; it had 120.' });
});

test('model shows a choice, or changes to what is named', async () => {
  const items = ['openai/o', 'openai/p'].map((model) => ({ value: model, label: model }));
  expect(await run('model')).toEqual({
    type: 'pick',
    title: 'Choose a model; now it is openai/o',
    items,
    command: 'model',
  });
  expect(await run('model', '', { models: async () => [] })).toEqual({ type: 'text', text: 'Model: openai/o' });
  const chosen: string[] = [];
  const setModel = async (model: string) => {
    chosen.push(model);
  };
  expect(await run('model', ' openai/p ', { setModel })).toEqual({ type: 'text', text: 'From now on: openai/p' });
  expect(chosen).toEqual(['openai/p']);
});

test('sessions offers the others, or opens the one that is named', async () => {
  const output = await run('sessions');
  expect(output).toMatchObject({ type: 'pick', command: 'sessions', items: [{ value: 's2' }, { value: 's3' }] });
  const labels = output.type === 'pick' ? output.items.map((item) => item.label.split(' · ')[0]) : [];
  expect(labels).toEqual(['other', 's3']);
  expect(await run('sessions', ' s2 ')).toEqual({ type: 'open', session: 's2' });
  expect(await run('sessions', '', { sessions: async () => [] })).toEqual({
    type: 'text',
    text: 'There is no other session.',
  });
});

test('cost, clear and quit', async () => {
  expect(await run('cost')).toEqual({
    type: 'text',
    text: 'Input 1,234, from cache 6, to cache 7, output 5 tokens. Cost: 0.1235 USD',
  });
  expect([await run('clear'), await run('quit')]).toEqual([{ type: 'open' }, { type: 'quit' }]);
});
