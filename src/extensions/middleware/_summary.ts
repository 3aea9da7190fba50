/** The request for a summary: everything as it was sent, and one instruction. */

import type { ModelResponse } from '../../protocol/define/middleware.ts';
import { ReinError } from '../../protocol/errors.ts';
import { assistantText, userText } from '../../protocol/message.ts';
import type { ModelRequest } from '../../protocol/request.ts';
import type { Todo } from '../../protocol/todo.ts';

const instruction = `The conversation is about to be shortened: most of what stands above will be left out and replaced by a summary that you write now. Whoever goes on has only that summary, the user's request and the newest messages.

Do not call a tool and do not go on with the work. Answer with the summary alone, in these sections, leaving out empty ones:

## Goal
What the user wants, with every requirement and wish that still holds, in their words.
## Decisions
What was decided and why; what was tried and did not work.
## Done
What is finished and checked, with paths.
## Open
What is under way, what is missing, what is in the way.
## Facts
What is needed to go on: paths and lines, names, commands with what they gave, exact error texts, values.
## Next
The next step.

If a <summary> stands near the beginning, it is yours: take over what still holds, bring it up to date, and lose nothing of it that is needed. Be brief and exact; quote what must not change.`;

export interface Summary {
  /** Blank when the model said nothing. */
  readonly text: string;
  readonly usage: ModelResponse['usage'];
  readonly cost?: number;
}

/**
 * Asks the model for a summary of the request's messages. Undefined when the provider did not take the request; other
 * failures of the provider are thrown.
 */
export async function askForSummary(
  request: ModelRequest,
  next: (request: ModelRequest) => Promise<ModelResponse>,
): Promise<Summary | undefined> {
  const extra = [...(request.extra ?? []), userText(instruction)];
  try {
    const { message, usage, cost } = await next(request.with({ extra, internal: true }));
    return { text: assistantText(message).trim(), usage, ...(cost !== undefined && { cost }) };
  } catch (error) {
    if (isRefused(error)) return undefined;
    throw error;
  }
}

function isRefused(error: unknown): boolean {
  return isOverflow(error) || (ReinError.is(error) && error.code === 'E_PROVIDER_INVALID_REQUEST');
}

/** Whether a provider said that the request is longer than its model takes. */
export function isOverflow(error: unknown): boolean {
  return ReinError.is(error) && error.code === 'E_PROVIDER_CONTEXT_OVERFLOW';
}

/** The list as it stands, which no model need remember. */
export function todoLines(todos: readonly Todo[]): string {
  if (todos.length === 0) return '';
  return `\n\n## Todo list\n${todos.map(({ content, status }) => `- [${status}] ${content}`).join('\n')}`;
}
