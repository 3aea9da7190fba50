import { defineCommand } from '../../protocol/define/command.ts';

export default defineCommand({
  name: 'model',
  description: 'commands.model',
  run: async (session, args) => {
    const wanted = args.trim();
    if (wanted !== '') {
      await session.setModel(wanted);
      return { type: 'text', text: session.t('commands.modelChanged', { model: wanted }) };
    }
    const models = await session.models();
    if (models.length === 0) {
      return { type: 'text', text: session.t('commands.modelCurrent', { model: session.model }) };
    }
    const items = models.map((model) => ({ value: model, label: model }));
    return {
      type: 'pick',
      title: session.t('commands.modelChoose', { model: session.model }),
      items,
      command: 'model',
    };
  },
});
