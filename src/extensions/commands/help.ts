import { defineCommand } from '../../protocol/define/command.ts';

export default defineCommand({
  name: 'help',
  description: 'commands.help',
  run: (session) => {
    const rows = session.commands().map(({ name, description }) => `/${name}  ${session.t(description)}`);
    return { type: 'text', text: rows.join('\n') };
  },
});
