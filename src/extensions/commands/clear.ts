import { defineCommand } from '../../protocol/command.ts';

export default defineCommand({
  name: 'clear',
  description: 'commands.clear',
  run: () => ({ type: 'open' }),
});
