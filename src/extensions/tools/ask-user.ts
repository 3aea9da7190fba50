import { inputSchema } from '../../protocol/define/input.ts';
import { defineTool } from '../../protocol/define/tool.ts';

export default defineTool({
  name: 'ask_user',
  description: 'Ask the user a question, only when you cannot go on without the answer.',
  input: inputSchema({
    type: 'object',
    properties: {
      question: { type: 'string', minLength: 1 },
      options: { description: 'answers to choose from', maxItems: 20, type: 'array', items: { type: 'string' } },
    },
    required: ['question'],
  }),
  risk: 'read',
  ask: ({ question, options }) => ({ question, ...(options && { options }) }),
});
