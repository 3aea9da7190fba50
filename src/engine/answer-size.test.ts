import { afterEach, describe, expect, it } from 'vitest';
import type { ModelEvent, Provider } from '../protocol/define/provider.ts';
import { createSessionRig, type SessionRig } from '../testing/session-rig.ts';

const rigs: SessionRig[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig[Symbol.asyncDispose]();
});

/** Sends the same event for as long as somebody takes it. */
function endless(event: ModelEvent): Provider & { taken: number; closed: boolean } {
  return {
    name: 'endless',
    taken: 0,
    closed: false,
    async *stream() {
      try {
        for (;;) {
          this.taken += 1;
          yield event;
        }
      } finally {
        this.closed = true;
      }
    },
    listModels: async () => [],
    testConnection: async () => ({ ok: true, detail: 'OK' }),
  };
}

const text = 'x'.repeat(64 * 1024);

describe('an answer that does not end', () => {
  it.each<ModelEvent>([
    { type: 'text-delta', text },
    { type: 'reasoning-delta', text },
    { type: 'tool-input-delta', callId: 'a', name: 'ls', text },
    { type: 'part', part: { type: 'tool-call', id: 'a', name: 'ls', input: {} } },
  ])('$type: is cut off by its size, once and by name', async (event) => {
    const provider = endless(event);
    const rig = await createSessionRig({ provider });
    rigs.push(rig);
    const outcome = await rig.session.run('go');
    expect(outcome).toMatchObject({ stop: 'error', error: { code: 'E_ANSWER_TOO_LARGE' } });
    expect(provider.closed).toBe(true);
    expect(provider.taken).toBeLessThan(600_000);
  });
});
