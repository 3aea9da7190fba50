/** Makes a session's history shorter because a person asked, between two runs. */

import type { Middleware } from '../../protocol/define/middleware.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { StoredBody } from '../../protocol/event.ts';
import { firstRequest, modelOnion } from '../call-model.ts';
import { ensurePrompt } from '../ensure-prompt.ts';
import type { Runtime } from '../runtime.ts';
import { recordStep } from '../steps.ts';

/** Lets the first middleware that can shorten the history do so. Throws `E_COMPACTION`, `E_PROVIDER_*`. */
export async function compact(runtime: Runtime): Promise<void> {
  const { state, setup } = runtime;
  if (state.run) throw new ReinError('E_COMPACTION', { reason: { text: 'compaction.runOpen' } });
  const at = setup.middleware.findIndex((one) => one.compact);
  if (at < 0) throw new ReinError('E_COMPACTION', { reason: { text: 'compaction.nobody' } });
  const one = setup.middleware[at] as unknown as Middleware;
  runtime.abort = new AbortController();
  await ensurePrompt(runtime);
  const next = modelOnion(runtime, setup.middleware.slice(at + 1), []);
  const step = await one.compact!(firstRequest(runtime), next, runtime.contextFor(one));
  recordStep(runtime, one.name, step);
  await runtime.flush();
  // What it took is stored all the same.
  if (step.events?.length && step.events.every(isBlank)) {
    throw new ReinError('E_COMPACTION', { reason: { text: 'compaction.noSummary' } });
  }
}

function isBlank(event: StoredBody): boolean {
  return event.type === 'compaction' && event.kind === 'summary' && event.summary === undefined;
}
