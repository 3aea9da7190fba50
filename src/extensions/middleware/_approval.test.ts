import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { HookAnswer } from '../../protocol/define/hook.ts';
import type { CallResult, Middleware, MiddlewareContext, ToolCall } from '../../protocol/define/middleware.ts';
import type { Tool } from '../../protocol/define/tool.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { type ApprovalDecision, type ApprovalOptions, type ApprovalQuestion, createApproval } from './_approval.ts';

const schema = z.strictObject({ command: z.string() });
const tool: Tool = {
  schema: { name: 'bash', description: 'x', input: {} },
  risk: 'execute',
  idempotent: false,
  parse(input) {
    const parsed = schema.safeParse(input);
    return parsed.success ? { ok: true, input: parsed.data } : { ok: false, error: 'command is missing' };
  },
};

const allow: ApprovalDecision = { verdict: 'allow', warnings: [], text: '' };
const ask: ApprovalDecision = { verdict: 'ask', warnings: ['noSandbox'], narrowRule: 'bash(ls)', text: '' };
const deny: ApprovalDecision = { verdict: 'deny', warnings: [], refusal: 'rule', text: 'a rule forbids it' };
const nobody: ApprovalDecision = { verdict: 'deny', warnings: [], refusal: 'nobody', text: 'nobody can be asked' };

interface Setting {
  decision?: ApprovalDecision;
  hooks?: HookAnswer[];
  requestHooks?: HookAnswer[];
  approved?: string;
}

/** Sends one call through the gate and tells what came of it. */
async function pass({ decision = allow, hooks = [], requestHooks = [], approved }: Setting) {
  const ran: JsonObject[] = [];
  const asked: ApprovalQuestion[] = [];
  const events: string[] = [];
  let suspended: unknown;
  const make = (input: JsonObject): ToolCall => ({
    ...{ id: 'c1', tool, input, approved },
    with: make,
    suspend(interrupt) {
      suspended = interrupt;
      throw new Error('suspended');
    },
  });
  const options: ApprovalOptions = {
    decide(question) {
      asked.push(question);
      return decision;
    },
    hooks: async (event) => {
      events.push(event);
      return (event === 'PreToolUse' ? hooks : requestHooks).map((answer, index) => ({ hook: `h${index}`, answer }));
    },
  };
  const gate = createApproval(options) as unknown as Middleware;
  const next = async ({ input }: ToolCall): Promise<CallResult> => {
    ran.push(input);
    return { status: 'ok', content: [] };
  };
  const context = { session: { id: 's' } } as unknown as MiddlewareContext;
  const result = await gate.wrapToolCall!(make({ command: 'ls' }), next, context).catch(
    (error: Error) => error.message,
  );
  return { result, ran, suspended, events, asked: asked.map(({ call, ask: wanted }) => [call.input.command, wanted]) };
}

const denied = (text: string, refusal: string) => ({ status: 'denied', content: [{ type: 'text', text }], refusal });

describe('the decision', () => {
  test('allowed calls run, refused ones do not and say why', async () => {
    expect(await pass({})).toMatchObject({ result: { status: 'ok' }, ran: [{ command: 'ls' }] });
    expect(await pass({ decision: deny })).toMatchObject({ result: denied('a rule forbids it', 'rule'), ran: [] });
    expect(await pass({ decision: nobody })).toMatchObject({
      result: denied('nobody can be asked', 'nobody'),
      ran: [],
    });
  });

  test('what asks waits for a person, with warnings and the rule that may be stored', async () => {
    expect(await pass({ decision: ask })).toMatchObject({
      result: 'suspended',
      ran: [],
      suspended: { kind: 'approval', warnings: ['noSandbox'], rule: 'bash(ls)' },
    });
  });

  test('an approved call is not asked again and passes no hooks, but deny rules hold', async () => {
    for (const decision of [allow, ask, nobody]) {
      expect(await pass({ decision, approved: 'd', hooks: [{ decision: 'deny' }] })).toMatchObject({
        result: { status: 'ok' },
        ran: [{ command: 'ls' }],
        events: [],
      });
    }
    expect(await pass({ decision: deny, approved: 'd' })).toMatchObject({ result: { status: 'denied' }, ran: [] });
  });
});

describe('policy hooks', () => {
  test('security P8: deny wins, whatever the others say and in whatever order', async () => {
    const no = { decision: 'deny', reason: 'not on Fridays' } as const;
    for (const hooks of [
      [no, { decision: 'allow' }],
      [{ decision: 'allow' }, no],
      [{ blocked: 1 }, no],
    ] as HookAnswer[][]) {
      const { result, ran } = await pass({ hooks });
      expect(result).toEqual(
        denied(
          `bash was not run: the hook h${hooks.indexOf(no)} refused it: not on Fridays. Do not try it again in another form; find another way.`,
          'rule',
        ),
      );
      expect(ran).toEqual([]);
    }
  });

  test('security P8: a rewritten input is validated and judged anew', async () => {
    const rewritten = { decision: 'allow', input: { command: 'rm x', approved: true } } as const;
    expect((await pass({ hooks: [rewritten] })).ran).toEqual([]);
    expect(await pass({ hooks: [{ decision: 'allow', input: { command: 'rm x' } }] })).toMatchObject({
      ran: [{ command: 'rm x' }],
      asked: [['rm x', false]],
    });
    expect(await pass({ decision: deny, hooks: [{ decision: 'allow', input: { command: 'rm x' } }] })).toMatchObject({
      result: { status: 'denied' },
      ran: [],
    });
  });

  test('allow grants nothing that the rules do not; ask makes a question of what would run', async () => {
    expect(await pass({ decision: ask, hooks: [{ decision: 'allow' }] })).toMatchObject({
      result: 'suspended',
      ran: [],
    });
    expect(await pass({ hooks: [{ decision: 'ask' }, { decision: 'allow' }] })).toMatchObject({
      asked: [['ls', true]],
    });
    const { suspended } = await pass({ decision: ask, hooks: [{ decision: 'ask' }] });
    expect(suspended).toEqual({ kind: 'approval', warnings: ['noSandbox'] });
  });

  test('an object without a decision blocks the call and is its result', async () => {
    const { result, ran } = await pass({ hooks: [{ error: 'outside of src', path: '/etc' }] });
    expect(result).toEqual(denied('{"error":"outside of src","path":"/etc"}', 'rule'));
    expect(ran).toEqual([]);
  });

  test('security P2: an answer that is not understood refuses', async () => {
    const answers = [
      { decision: 'yes' },
      { decision: null },
      { decision: 'allow', input: 'ls' },
      { decision: 'allow', input: [] },
      {},
    ];
    for (const answer of answers as HookAnswer[]) {
      expect(await pass({ hooks: [answer] }), JSON.stringify(answer)).toMatchObject({
        result: { status: 'denied' },
        ran: [],
      });
    }
  });

  test('PermissionRequest hooks answer for the person, and are asked only when one would be', async () => {
    expect(await pass({ requestHooks: [{ decision: 'deny' }] })).toMatchObject({
      ran: [{ command: 'ls' }],
      events: ['PreToolUse'],
    });
    expect(await pass({ decision: ask, requestHooks: [{ decision: 'allow' }] })).toMatchObject({
      ran: [{ command: 'ls' }],
    });
    expect(await pass({ decision: ask, requestHooks: [{ decision: 'deny', reason: 'no' }] })).toMatchObject({
      result: { status: 'denied' },
      ran: [],
    });
    const rewriting: HookAnswer = { decision: 'allow', input: { command: 'rm' } };
    expect(await pass({ decision: ask, requestHooks: [rewriting] })).toMatchObject({ result: 'suspended', ran: [] });
    expect(await pass({ decision: nobody, requestHooks: [{ decision: 'allow' }] })).toMatchObject({ ran: [] });
  });
});
