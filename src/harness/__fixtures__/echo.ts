import { z } from 'zod';
import { defineTool } from '../../protocol/define/tool.ts';

/** A tool that answers at once: `said <text>`. */
export const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  risk: 'read',
  execute: ({ text }) => `said ${text}`,
});
