/** A message of the user's on its way into the log. */

import type { Middleware } from '../../protocol/define/middleware.ts';
import type { ContentPart, UserMessage } from '../../protocol/message.ts';
import type { Runtime } from '../runtime.ts';

/** The message as it is stored: each middleware may have its say, outermost first. */
export async function receive(runtime: Runtime, parts: readonly ContentPart[]): Promise<UserMessage> {
  let message: UserMessage = { role: 'user', parts };
  for (const one of runtime.setup.middleware) {
    const middleware = one as unknown as Middleware;
    if (middleware.receive) message = await middleware.receive(message, runtime.contextFor(one));
  }
  return message;
}
