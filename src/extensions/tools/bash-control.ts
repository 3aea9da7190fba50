import { inputSchema } from '../../protocol/define/input.ts';
import { defineTool, toolError } from '../../protocol/define/tool.ts';
import type { BackgroundCommand } from '../../protocol/host.ts';

export default defineTool({
  name: 'bash_control',
  description: 'Background commands: list them, read the output since the last look, or kill one.',
  input: inputSchema({
    type: 'object',
    properties: {
      action: { type: 'string', enum: ['output', 'kill', 'list'] },
      id: { description: 'needed for output and kill', type: 'string' },
    },
    required: ['action'],
  }),
  risk: 'execute',
  execute: async ({ action, id = '' }, { commands }) => {
    const all = commands.list();
    if (action === 'list') return all.map(headline).join('\n') || 'There are no background commands.';
    const one = action === 'output' ? commands.output(id) : await commands.kill(id);
    if (one)
      return [headline(one), one.output.trimEnd() || '[no new output]', ...one.notes.map((note) => `[${note}]`)].join(
        '\n',
      );
    const known = all.length > 0 ? `Known ids: ${all.map((known) => known.id).join(', ')}.` : 'There are none.';
    return toolError(`There is no background command with id "${id}". ${known}`);
  },
});

function headline({ id, command, running, exit }: BackgroundCommand): string {
  const state = running ? 'running' : exit === null ? 'ended by a signal' : `exit code ${exit}`;
  return `${id}: ${state}: ${command}`;
}
