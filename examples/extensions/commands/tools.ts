// A slash command: `$REIN_HOME/commands/tools.ts`. Returns data; whoever shows it decides how.
import { defineCommand } from 'rein';

export default defineCommand({
  name: 'tools',
  description: 'List the tools',
  run: (session) => ({
    type: 'text',
    text: session
      .tools()
      .map(({ name }) => name)
      .join(', '),
  }),
});
