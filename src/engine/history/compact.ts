/** Makes a session's history shorter because a person asked, between two runs. */

import type { Middleware } from '../../protocol/define/middleware.ts';
import { ReinError } from '../../protocol/errors.ts';
import { firstRequest, modelOnion, recordStep } from '../call-model.ts';
import { ensurePrompt } from '../ensure-prompt.ts';
import type { Runtime } from '../runtime.ts';

/** Lets the first middleware that can shorten the history do so. Throws `E_COMPACTION`, `E_PROVIDER_*`. */
export async function compact(runtime: Runtime): Promise<void> {
  const { state, setup } = runtime;
  if (state.run) throw new ReinError('E_COMPACTION', { reason: 'a run is open' });
  const at = setup.middleware.findIndex((one) => one.compact);
  if (at < 0) throw new ReinError('E_COMPACTION', { reason: 'no middleware does it' });
  const one = setup.middleware[at] as unknown as Middleware;
  runtime.abort = new AbortController();
  await ensurePrompt(runtime);
  const next = modelOnion(runtime, setup.middleware.slice(at + 1), []);
  recordStep(runtime, one.name, await one.compact!(firstRequest(runtime), next, runtime.contextFor(one)));
  await runtime.flush();
}
