/** Background tasks: the tool `task_control` looks after what `task` began with `background`. */

import { inputSchema } from '../../protocol/define/input.ts';
import { defineMiddleware } from '../../protocol/define/middleware.ts';
import { defineTool, type TaskView, type ToolOutput, toolError } from '../../protocol/define/tool.ts';

const control = defineTool({
  name: 'task_control',
  description: 'Look after background tasks: check or list them, update one with a message, cancel one.',
  input: inputSchema({
    type: 'object',
    properties: {
      action: { type: 'string', enum: ['check', 'update', 'cancel', 'list'] },
      id: { description: 'such as task_1; not for list', type: 'string' },
      message: { description: 'for update', type: 'string' },
    },
    required: ['action'],
  }),
  risk: 'read',
  async execute({ action, id = '', message = '' }, { tasks }): Promise<ToolOutput | string> {
    const all = tasks?.list() ?? [];
    if (action === 'list') return all.length > 0 ? all.map(line).join('\n') : 'There are no background tasks.';
    const task = all.find((one) => one.id === id);
    if (!tasks || !task) return toolError(`There is no task ${JSON.stringify(id)}. ${namesOf(all)}`);
    if (action === 'check') return `${line(task)}\n${task.text || '(nothing said yet)'}`;
    if (task.status !== 'running' && task.status !== 'waiting')
      return toolError(`${id} has ended already: ${task.status}.`);
    if (action === 'cancel') {
      tasks.cancel(id);
      return `${id} is being cancelled; a message says when it has ended.`;
    }
    if (message.trim() === '') return toolError('An update needs a message.');
    await tasks.update(id, message);
    return `${id} was told; it reads this before its next step.`;
  },
});

function line({ id, agent, status, prompt }: TaskView): string {
  const first = prompt.split('\n', 1)[0]!;
  return `${id} ${agent} ${status}: ${first.length > 100 ? `${first.slice(0, 100).toWellFormed()}...` : first}`;
}

function namesOf(all: readonly TaskView[]): string {
  return all.length > 0 ? `The tasks are: ${all.map(({ id }) => id).join(', ')}.` : 'None was begun.';
}

export default defineMiddleware({ name: 'background', slot: 'background', tools: [control] });
