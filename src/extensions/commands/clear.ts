import { defineCommand } from '../../protocol/define/command.ts';

export default defineCommand({
  name: 'clear',
  description: 'commands.clear',
  run: () => ({ type: 'open' }),
});
