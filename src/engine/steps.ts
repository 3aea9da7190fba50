/** The steps of middlewares beside the calls they wrap: run one after the other, what they give back recorded. */
import type { DefinedMiddleware, Middleware, Step } from '../protocol/define/middleware.ts';
import { ReinError } from '../protocol/errors.ts';
import type { StoredBody } from '../protocol/event.ts';
import type { Runtime } from './runtime.ts';

type StepOf = (
  middleware: Middleware,
  context: ReturnType<Runtime['contextFor']>,
) => Step | undefined | void | Promise<Step | undefined | void>;

/** Runs one kind of step of each middleware and records what they give back. Throws `E_MIDDLEWARE` with its name. */
export async function runSteps(
  runtime: Runtime,
  middleware: readonly DefinedMiddleware[],
  step: StepOf,
): Promise<void> {
  for (const one of middleware) {
    try {
      const given = step(one as unknown as Middleware, runtime.contextFor(one));
      // Most have nothing to wait for.
      const result = given instanceof Promise ? await given : given;
      if (result) recordStep(runtime, one.name, result);
    } catch (error) {
      throw asMiddlewareError(one.name, error);
    }
  }
}

/** Records what a middleware gave back. */
export function recordStep(runtime: Runtime, name: string, step: Step): void {
  const events: StoredBody[] = [...(step.events ?? [])];
  if (step.state !== undefined) events.push({ type: 'state-update', name, state: step.state as never });
  for (const message of step.append ?? []) events.push({ type: 'message', message, origin: name });
  runtime.record(events);
}

/** Says which middleware failed; what is thrown on purpose stays as it is. */
export function asMiddlewareError(name: string, error: unknown): unknown {
  if (ReinError.is(error) || error instanceof Restart) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ReinError('E_MIDDLEWARE', { name, detail }, error);
}

/** Ends a pass through the onion: the model is called anew. */
export class Restart extends Error {
  readonly middleware: string;
  readonly step: Step;
  constructor(middleware: string, step: Step) {
    super('the model is called anew');
    this.middleware = middleware;
    this.step = step;
  }
}
