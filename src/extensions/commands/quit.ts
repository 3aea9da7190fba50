import { defineCommand } from '../../protocol/define/command.ts';

export default defineCommand({
  name: 'quit',
  description: 'commands.quit',
  run: () => ({ type: 'quit' }),
});
