/** Proof that checks passed is about one state of the files: the one before the first check, after each, and at the end. */
import type { GraphContext } from '../../protocol/define/graph.ts';
import type { Evidence } from '../../protocol/plan.ts';

const maxNamed = 20;

/** The proof as it stands now: void, with the names of files, when they are not those it is about. */
export async function stillHolding(
  evidence: Evidence,
  { fingerprint, changedFiles }: Pick<GraphContext, 'fingerprint' | 'changedFiles'>,
): Promise<Evidence> {
  if (evidence.voided !== undefined) return evidence;
  const files = await fingerprint();
  if (files === evidence.files) return evidence;
  const changed = changedFiles(evidence.files, files).slice(0, maxNamed);
  return { ...evidence, voided: 'files', ...(changed.length > 0 && { changed }) };
}
