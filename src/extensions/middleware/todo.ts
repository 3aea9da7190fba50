/** The list of what is to do: the model keeps it, people see it, and no run ends with open entries unnoticed. */
import { frame } from '../../lib/text/frame.ts';
import { inputSchema } from '../../protocol/define/input.ts';
import { defineMiddleware } from '../../protocol/define/middleware.ts';
import { defineTool, toolError } from '../../protocol/define/tool.ts';
import { type Message, toolCalls, userText } from '../../protocol/message.ts';
import type { Todo } from '../../protocol/todo.ts';

const maxTodos = 100;
const maxLength = 500;

const writeTodos = defineTool({
  name: 'write_todos',
  description:
    'Replace the task list, which the user sees. For work of several steps: list them before you begin, keep one in_progress, tick each off as soon as it is done, and before you end confirm that all are completed. Not for single, simple tasks.',
  input: inputSchema({
    type: 'object',
    properties: {
      todos: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            content: { type: 'string', minLength: 1, maxLength },
            status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] },
          },
          required: ['content', 'status'],
        },
      },
    },
    required: ['todos'],
  }),
  risk: 'read',
  idempotent: true,
  execute({ todos }) {
    if (todos.length > maxTodos)
      return toolError(`${todos.length} entries are too many: at most ${maxTodos}. Sum them up.`);
    const trimmed = todos.map(({ content, status }) => ({ content: content.trim(), status }));
    if (trimmed.some(({ content }) => content === '')) return toolError('An entry has no text. Say what is to do.');
    return { content: `The list is now:\n${toText(trimmed)}`, updates: [{ type: 'todo-update', todos: trimmed }] };
  },
});

const marks = { pending: '[ ]', in_progress: '[>]', completed: '[x]' };

function toText(todos: readonly Todo[]): string {
  return todos.map(({ content, status }) => `${marks[status]} ${content}`).join('\n') || '(empty)';
}

/** Histories that were looked at: a new one begins at opening and with each compaction. */
const looked = new WeakSet<readonly Message[]>();

export default defineMiddleware<{ readonly reminded: string }>({
  name: 'todo',
  slot: 'todo',
  // The run that was reminded.
  state: { parse: () => ({ reminded: '' }) },
  tools: [writeTodos],
  beforeModel({ session: { messages, todos } }) {
    if (looked.has(messages)) return undefined;
    looked.add(messages);
    if (openOf(todos).length === 0 || messages.some(writesTodos)) return undefined;
    return {
      append: [userText(`<todos>\nThe task list, which write_todos keeps, as it stands:\n${toText(todos)}\n</todos>`)],
    };
  },
  afterModel({ message }, { session: { todos, run }, state }) {
    const open = openOf(todos);
    if (toolCalls(message).length > 0 || open.length === 0 || state.reminded === run) return undefined;
    const text = `Your task list still has open entries:\n${toText(open)}\nFinish them, or update the list with write_todos and say why they stay open. Then give your last answer again, whole.`;
    return { append: [userText(frame('harness', {}, text))], state: { reminded: run } };
  },
});

function openOf(todos: readonly Todo[]): readonly Todo[] {
  return todos.filter(({ status }) => status !== 'completed');
}

function writesTodos(message: Message): boolean {
  return message.role === 'assistant' && toolCalls(message).some(({ name }) => name === writeTodos.name);
}
