import { defineCommand } from '../../protocol/define/command.ts';

export default defineCommand({
  name: 'compact',
  description: 'commands.compact',
  run: async (session) => ({ type: 'text', text: session.t('commands.compacted', await session.compact()) }),
});
