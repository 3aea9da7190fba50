/** The list of what is to do: the model keeps it, people see it, and no run ends with open entries unnoticed. */
import { z } from 'zod';
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
  input: z.object({
    todos: z.array(
      z.object({
        content: z.string().trim().min(1).max(maxLength),
        status: z.enum(['pending', 'in_progress', 'completed']),
      }),
    ),
  }),
  risk: 'read',
  idempotent: true,
  execute({ todos }) {
    if (todos.length > maxTodos)
      return toolError(`${todos.length} entries are too many: at most ${maxTodos}. Sum them up.`);
    return { content: `The list is now:\n${toText(todos)}`, updates: [{ type: 'todo-update', todos }] };
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
  state: z.object({ reminded: z.string().default('') }),
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
    return { append: [userText(text)], state: { reminded: run } };
  },
});

function openOf(todos: readonly Todo[]): readonly Todo[] {
  return todos.filter(({ status }) => status !== 'completed');
}

function writesTodos(message: Message): boolean {
  return message.role === 'assistant' && toolCalls(message).some(({ name }) => name === writeTodos.name);
}
