// The work of the kill test: 30 turns of a parent that stamps a file, often several times at once, and now and then
// sends a child to do the same. What the model says depends on the request alone, so a resumed run is answered alike.
import type { ScriptRequest, Turn } from 'rein/testing';

export const parentPrompt = 'Do the work of the parent.';
const lastWords = 'All of it is done.';
const parentTurns = 30;
const childTurns = 3;

export function respond(request: ScriptRequest): Turn {
  const child = /Do errand (\d+)\./.exec(request.userTexts.join('\n'))?.[1];
  const prefix = child === undefined ? 'p' : `c${child}`;
  const done = new Set(request.calls.map((call) => turnOf(call.id))).size;
  if (child !== undefined && done === childTurns) return { text: `Errand ${child} is done.` };
  if (done === parentTurns) return { text: lastWords };
  const calls = child === undefined ? parentCalls(done) : [stamp(done)];
  return { text: `Turn ${done}.`, calls: calls.map((call, index) => ({ ...call, id: `${prefix}_${done}_${index}` })) };
}

/** Ids of the stamps that a run without a kill makes. */
export function plannedStamps(): string[] {
  const parent = Array.from({ length: parentTurns }, (_, turn) =>
    parentCalls(turn).map((call, index) => ({ ...call, id: `p_${turn}_${index}` })),
  ).flat();
  return parent.flatMap(({ id, name, input }) => {
    if (name === 'stamp') return [id];
    return Array.from({ length: childTurns }, (_, turn) => `c${(input as { number: number }).number}_${turn}_0`);
  });
}

function parentCalls(turn: number) {
  if (turn % 10 === 7) return [errand(turn), stamp(turn)];
  return Array.from({ length: turn % 3 === 0 ? 3 : 1 }, (_, index) => stamp(turn + index));
}

/** Takes some milliseconds, so that kills also meet effects under way. */
function stamp(seed: number) {
  return { name: 'stamp', input: { milliseconds: (seed * 7) % 12 } };
}

function errand(number: number) {
  return { name: 'errand', input: { number } };
}

function turnOf(callId: string): string {
  return callId.split('_')[1]!;
}
