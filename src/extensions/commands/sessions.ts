import { defineCommand } from '../../protocol/define/command.ts';

export default defineCommand({
  name: 'sessions',
  description: 'commands.sessions',
  run: async (session, args) => {
    const wanted = args.trim();
    if (wanted !== '') return { type: 'open', session: wanted };
    const others = (await session.sessions()).filter(({ id }) => id !== session.id);
    if (others.length === 0) return { type: 'text', text: session.t('commands.sessionsNone') };
    const time = new Intl.DateTimeFormat(session.lang, { dateStyle: 'medium', timeStyle: 'short' });
    const items = others.map(({ id, title, updated }) => ({
      value: id,
      label: `${title || id} · ${time.format(updated)}`,
    }));
    return { type: 'pick', title: session.t('commands.sessionsChoose'), items, command: 'sessions' };
  },
});
