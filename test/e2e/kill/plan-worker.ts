// One process of the kill test of plans: opens the session or resumes it, and kills itself at the first edge, answer or
// end of an agent that it stores. Usage: node plan-worker.ts <home> <workspace> <kill|finish> <checked|replanned>
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHarness, defineTool, type Interrupt, z } from 'rein';
import { createScriptedProvider, type ScriptRequest, type Turn } from 'rein/testing';
import { plan, planOf, report, review, roleOf, stepOf } from '../../../src/testing/plan/plan-script.ts';

const [home, workspace, kill, way] = process.argv.slice(2) as [string, string, string, string];
const sessionId = '11111111-2222-4333-8444-555555555555';

const stamp = defineTool({
  name: 'stamp',
  description: 'Stamps the file.',
  input: z.object({ step: z.string() }),
  risk: 'write',
  execute({ step }) {
    appendFileSync(join(workspace, 'stamps.txt'), `${step}\n`);
    return 'stamped';
  },
});

const steps = [{ required_tool: 'stamp' }, { required_tool: 'stamp', risk_level: 'high' }];
const checks = [
  { criterion: 'a', file_exists: 'stamps.txt' },
  { criterion: 'b', file_matches: { path: 'stamps.txt', pattern: 'step_2' } },
];

/** What is answered depends on the request alone. */
function respond(request: ScriptRequest): Turn {
  const say = (value: unknown) => ({ text: JSON.stringify(value) });
  const role = roleOf(request);
  const asked = request.userTexts.join('\n');
  if (way === 'replanned') return say(replanned(role, asked));
  if (role === 'planner') return say(planOf({ checks }, ...plan(...steps).steps));
  if (role === 'executor') {
    if (request.results.length > 0) return say(report());
    return { calls: [{ name: 'stamp', input: { step: stepOf(request) } }] };
  }
  if (asked.includes('Retries so far: 0'))
    return say(
      review('retry_actor', {
        issues: [{ type: 'quality', severity: 'low', description: 'step_1', suggested_fix: '' }],
      }),
    );
  return say(review());
}

/** A step that fails, a new plan, a question, a plan that goes well. */
function replanned(role: string | undefined, asked: string): unknown {
  const isAnswered = asked.includes('Which one?\nThis one.');
  if (role === 'planner') return plan({}, {});
  if (role === 'executor') return report({ status: asked.includes('"step_2"') && !isAnswered ? 'failed' : 'success' });
  if (asked.includes('Retries so far: 0')) return review('replan');
  return isAnswered ? review() : review('ask_user', { question: 'Which one?' });
}

const harness = await createHarness({
  home,
  cwd: workspace,
  env: { PATH: process.env.PATH, HOME: home },
  flags: { permissionMode: 'bypassPermissions', sandbox: 'external' },
  provider: createScriptedProvider({ respond }),
  tools: [stamp],
  interactive: true,
});
const store = await harness.store();
const known = await store.info(sessionId);
const session = await harness.open({ ...(known ? { resume: sessionId } : { id: sessionId }), plan: true });
const approve = ({ id, digest, kind }: Interrupt) =>
  session.answer(
    id,
    kind === 'question' ? { decision: 'answer', answer: 'This one.', digest } : { decision: 'approve', digest },
  );
session.listen((event) => {
  if (!('seq' in event)) return;
  const isChild = event.session !== sessionId;
  const isPoint = isChild ? event.type === 'run-end' : /^(plan-update|interrupt-)/.test(event.type);
  if (isPoint && kill === 'kill') process.kill(process.pid, 'SIGKILL');
  if (event.type === 'interrupt-open') void approve(event.interrupt);
});
for (const interrupt of await session.interrupts()) await approve(interrupt);
const ended = (await Array.fromAsync(session.events())).some((event) => event.type === 'run-end');
if (!ended) await (session.hasOpenRun ? session.resume() : session.run('Do it.', { id: 'the-prompt' }));
const events = await Array.fromAsync(store.read(sessionId));
await harness.close();
process.stdout.write(JSON.stringify(events));
