import { defineCommand } from '../../protocol/define/command.ts';

export default defineCommand({
  name: 'cost',
  description: 'commands.cost',
  run: (session) => {
    const { cost, ...tokens } = session.usage();
    return { type: 'text', text: session.t('commands.costText', { ...tokens, cost: cost.toFixed(4) }) };
  },
});
