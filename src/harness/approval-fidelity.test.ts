import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { canonicalJson } from '../lib/digest.ts';
import { defineTool } from '../protocol/define/tool.ts';
import type { Interrupt } from '../protocol/interrupt.ts';
import type { JsonObject } from '../protocol/json.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createTempHome, type TempHome } from '../testing/temp-home.ts';
import { createFakeClock, waitFor } from '../testing/time.ts';
import { createHarness, type Harness } from './create-harness.ts';
import { explainCall } from './doors/explain-call.ts';
import type { HarnessOptions } from './options.ts';
import type { Session } from './session.ts';

let place: TempHome;
let harness: Harness | undefined;
beforeEach(async () => {
  place = await createTempHome({ 'n.txt': 'one\n' });
});
afterEach(async () => {
  await harness?.close();
  harness = undefined;
  await place.remove();
});

interface Call {
  name: string;
  input: JsonObject;
}

async function open(turns: Call[][], options: Partial<HarnessOptions> = {}): Promise<Session> {
  const script = [...turns.map((calls) => ({ calls })), { text: 'done' }];
  const provider = createScriptedProvider({ script });
  const env = { PATH: process.env.PATH };
  harness = await createHarness({
    home: place.home,
    cwd: place.workspace,
    env,
    provider,
    interactive: true,
    ...options,
  });
  return harness.open();
}
const opened = (session: Session, count = 1) =>
  waitFor(async () => {
    const interrupts = await session.interrupts();
    return interrupts.length === count && interrupts;
  });

/** The same numbers for the same seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

it('security I1: of random answers to random calls, exactly what was shown under the digest that was named runs', async () => {
  const random = createRandom(7);
  const ran: string[] = [];
  const act = defineTool({
    ...{
      name: 'act',
      description: 'Acts.',
      risk: 'write',
      input: z.object({ what: z.string(), at: z.number().optional() }),
    },
    execute: (input) => {
      ran.push(canonicalJson(input));
      return 'did';
    },
  });
  const texts = ['a', 'b\u202e', '{"what":"a"}', ' a', 'a '.repeat(200), '\u0000', 'é', 'e\u0301', '{}'];
  const makeCall = (): Call => ({
    name: 'act',
    input: { what: texts[random(texts.length)]!, ...(random(2) && { at: random(9) }) },
  });
  const turns = Array.from({ length: 25 }, () => Array.from({ length: 1 + random(3) }, makeCall));
  const session = await open(turns, { tools: [act], flags: { maxTurns: 100 } });
  const outcome = session.run('go');
  const expected: string[] = [];
  const digests = new Map<string, string>();
  const answer = async ({ id, digest, call }: Interrupt, others: readonly Interrupt[]) => {
    const content = canonicalJson(call!.input);
    // One content, one digest, in both directions.
    expect(digests.get(content) ?? digest).toBe(digest);
    digests.set(content, digest);
    const foreign = others.find((other) => other.digest !== digest)?.digest ?? 'none';
    await expect(session.answer(id, { decision: 'approve', digest: foreign })).rejects.toMatchObject({
      code: 'E_DECISION_INVALID',
    });
    const input = { what: `edited ${random(1000)}` };
    switch (random(3)) {
      case 0:
        expected.push(content);
        return session.answer(id, { decision: 'approve', digest });
      case 1:
        expected.push(canonicalJson(input));
        return session.answer(id, { decision: 'edit', digest, input });
      default:
        return session.answer(id, { decision: 'reject', digest, reason: 'no' });
    }
  };
  for (const calls of turns) {
    const interrupts = await opened(session, calls.length);
    for (const interrupt of interrupts) await answer(interrupt, interrupts);
    await waitFor(async () => {
      const now = await session.interrupts();
      return interrupts.every(({ id }) => !now.some((each) => each.id === id));
    });
  }
  await outcome;
  expect(new Set(digests.values()).size).toBe(digests.size);
  expect(ran.sort()).toEqual(expected.sort());
}, 60_000);

describe('security I5: an approval that nobody answers', () => {
  const write = { name: 'write_file', input: { file_path: 'new', content: 'x' } };

  it('is refused at its deadline, and the run goes on', async () => {
    await writeFile(join(place.home, 'config.json'), '{"limits": {"answerSeconds": 30}}');
    const clock = createFakeClock();
    const session = await open([[write]], { clock });
    const outcome = session.run('go');
    await opened(session);
    await waitFor(() => clock.sleeping > 0);
    clock.advance(29_000);
    expect(await session.interrupts()).toHaveLength(1);
    clock.advance(1_000);
    expect(await outcome).toMatchObject({ stop: 'completed', refused: [{ tool: 'write_file', refusal: 'person' }] });
    await expect(place.read('new')).rejects.toThrow();
  });

  it('runs nothing when the person goes away', async () => {
    const session = await open([[write]]);
    void session.run('go');
    await opened(session);
    await harness!.close();
    await expect(place.read('new')).rejects.toThrow();
  });
});

it('security I6: an edit that was approved is refused when the file changed in between', async () => {
  const read = { name: 'read_file', input: { file_path: 'n.txt' } };
  const edit = { name: 'edit_file', input: { file_path: 'n.txt', old_string: 'one', new_string: 'two' } };
  const session = await open([[read], [edit]]);
  const outcome = session.run('go');
  const [asked] = await opened(session);
  await place.write({ 'n.txt': 'one more thing\n' });
  await session.answer(asked!.id, { decision: 'approve', digest: asked!.digest });
  await outcome;
  expect(await place.read('n.txt')).toBe('one more thing\n');
});

it('security P4, I9: a sub-agent is held by the rules of its parent, and inherits no approval', async () => {
  const spawn = defineTool({
    ...{ name: 'spawn', description: 'Delegates.', risk: 'read', input: z.object({ prompt: z.string() }) },
    delegate: ({ prompt }) => ({ agent: 'general', prompt }),
  });
  const provider = createScriptedProvider({
    respond: ({ userTexts, results }) => {
      const calls = userTexts.includes('the child part')
        ? [['rm n.txt'], ['echo a >> log']]
        : [['echo a >> log'], undefined];
      const command = calls[results.length];
      if (command) return { calls: [{ name: 'bash', input: { command: command[0]! } }] };
      if (userTexts.includes('the child part') || results.length > 1) return { text: 'done' };
      return { calls: [{ name: 'spawn', input: { prompt: 'the child part' } }] };
    },
  });
  const session = await open([], { provider, tools: [spawn], flags: { deny: ['Bash(rm:*)'], allow: ['bash(rm *)'] } });
  const outcome = session.run('go');
  const [first] = await opened(session);
  await session.answer(first!.id, { decision: 'approve', digest: first!.digest });
  const second = await waitFor(async () => (await session.interrupts()).find(({ id }) => id !== first!.id));
  expect(second).toMatchObject({ agent: 'main/general-1', call: { input: { command: 'echo a >> log' } } });
  await session.answer(second!.id, { decision: 'reject', digest: second!.digest, reason: 'no' });
  expect(await outcome).toMatchObject({
    refused: [{ input: { command: 'rm n.txt' }, refusal: 'rule' }, { refusal: 'person' }],
  });
  expect(await readFile(join(place.workspace, 'log'), 'utf8')).toBe('a\n');
});

it('a call is explained: what would become of it, by which rule, and which rules let nothing run', async () => {
  await open([], {
    flags: { deny: ['Bash(rm:*)'], allow: ['Bash(git log *)', 'Bash(python *)'], sandbox: 'external' },
  });
  const explain = async (text: string) => {
    const { verdict, why, rule } = (await explainCall(harness!, text))!;
    return [verdict, why, rule];
  };
  expect(await explain('Bash(git log -5)')).toEqual(['allow', 'allowRule', 'Bash(git log *)']);
  expect(await explain('bash(git log | xargs rm)')).toEqual(['deny', 'denyRule', 'Bash(rm:*)']);
  expect(await explain('bash {"command": "git log > f"}')).toEqual(['ask', 'needsApproval', undefined]);
  expect(await explain('Read(.env)')).toEqual(['deny', 'secretPath', undefined]);
  expect(await explain('Edit(.git/config)')).toEqual(['ask', 'protectedName', undefined]);
  expect(await explain('mcp__x__y')).toEqual(['ask', 'needsApproval', undefined]);
  expect((await explainCall(harness!, 'Bash(ls)'))?.unmarked).toEqual(['Bash(python *)']);
  for (const text of ['', 'nothing(x)', 'Bash(', 'bash {']) expect(await explainCall(harness!, text)).toBeUndefined();
});
