import { defineCommand } from '../../protocol/command.ts';

export default defineCommand({
  name: 'quit',
  description: 'commands.quit',
  run: () => ({ type: 'quit' }),
});
