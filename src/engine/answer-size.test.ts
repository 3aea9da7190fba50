import { afterEach, describe, expect, it } from 'vitest';
import type { ModelEvent, Provider } from '../protocol/define/provider.ts';
import { createSessionRig, type SessionRig } from '../testing/session-rig.ts';

const rigs: SessionRig[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig[Symbol.asyncDispose]();
});

let made = 0;

/** Sends events for as long as somebody takes them. */
function endless(next: () => ModelEvent): Provider & { taken: number; closed: boolean } {
  return {
    name: 'endless',
    taken: 0,
    closed: false,
    async *stream() {
      try {
        for (;;) {
          this.taken += 1;
          yield next();
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

describe('an answer that does not end (security L6)', () => {
  it.each<ModelEvent>([
    { type: 'text-delta', text },
    { type: 'reasoning-delta', text },
    { type: 'tool-input-delta', callId: 'a', name: 'ls', text },
    { type: 'part', part: { type: 'text', text: 'x' } },
  ])('$type: is cut off by its size, once and by name', async (event) => {
    const provider = endless(() => event);
    const rig = await createSessionRig({ provider });
    rigs.push(rig);
    const outcome = await rig.session.run('go');
    expect(outcome).toMatchObject({ stop: 'error', error: { code: 'E_ANSWER_TOO_LARGE' } });
    expect(provider.closed).toBe(true);
    expect(provider.taken).toBeLessThan(600_000);
  });

  it.each<[string, () => ModelEvent]>([
    ['begin', () => ({ type: 'tool-input-delta', callId: `c${made++}`, name: 'ls', text: '{' })],
    ['come whole', () => ({ type: 'part', part: { type: 'tool-call', id: `c${made++}`, name: 'ls', input: {} } })],
  ])('is cut off by the number of calls that %s, and none of them runs', async (_name, next) => {
    const provider = endless(next);
    const rig = await createSessionRig({ provider });
    rigs.push(rig);
    const outcome = await rig.session.run('go');
    const error = { code: 'E_TOO_MANY_CALLS', params: { provider: 'endless', limit: 256 } };
    expect(outcome).toMatchObject({ stop: 'error', error });
    expect(provider).toMatchObject({ taken: 257, closed: true });
    expect((await Array.fromAsync(rig.session.events())).map(({ type }) => type)).not.toContain('tool-call-start');
  });
});
