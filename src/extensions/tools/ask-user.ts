import { z } from 'zod';
import { defineTool } from '../../protocol/define/tool.ts';

export default defineTool({
  name: 'ask_user',
  description: 'Ask the user a question, only when you cannot go on without the answer.',
  input: z.object({
    question: z.string().min(1),
    options: z.array(z.string()).max(20).optional().describe('answers to choose from'),
  }),
  risk: 'read',
  ask: ({ question, options }) => ({ question, ...(options && { options }) }),
});
