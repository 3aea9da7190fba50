/** Background tasks: child sessions that go on while their parent's run does. Their results come as messages. */

import type { Tasks, TaskView } from '../../protocol/define/tool.ts';
import { ReinError } from '../../protocol/errors.ts';
import { noUsage } from '../../protocol/usage.ts';
import { receive } from '../history/receive.ts';
import type { ChildOutcome } from '../ports.ts';
import type { RunningTask, Runtime } from '../runtime.ts';
import { whyStopped } from '../stop.ts';
import type { TaskState } from './fold-tasks.ts';

/** Path of a child's agent. */
export function childAgent(parent: string, agent: string, child: string): string {
  return `${parent}/${agent}-${child.slice(child.lastIndexOf('.') + 1)}`;
}

/** Starts the tasks that the log says are open, also those that an earlier process left. */
export function startTasks(runtime: Runtime): void {
  for (const task of openTasks(runtime)) if (!runtime.tasks.has(task.id)) start(runtime, task, new AbortController());
}

function openTasks({ state }: Runtime): TaskState[] {
  return state.tasks.filter(({ status }) => status === 'open');
}

function start(runtime: Runtime, task: TaskState, cancel: AbortController): void {
  const { setup, budget } = runtime;
  const running: RunningTask = { cancel, done: Promise.resolve() };
  runtime.tasks.set(task.id, running);
  const signal = AbortSignal.any([cancel.signal, runtime.abort.signal]);
  const run = async () => {
    const delegation = setup.tools.get(task.tool)?.delegate?.(task.input);
    if (!delegation) throw new ReinError('E_INTERNAL', { detail: `the tool ${task.tool} is gone` });
    const agent = childAgent(setup.agent, delegation.agent, task.id);
    const tools = [...setup.tools.keys()];
    return setup.children.run({ id: task.id, agent, delegation, budget, tools }, signal);
  };
  running.done = run()
    .catch((error: unknown) => toFailure(ReinError.from(error)))
    .then((outcome) => {
      running.outcome = outcome;
      runtime.wakeUp();
    });
}

function toFailure(error: ReinError): ChildOutcome {
  return {
    status: 'error',
    text: `The agent did not finish: ${whyStopped('error', error)}.`,
    usage: noUsage,
    cost: 0,
    stop: 'error',
    calls: [],
    error: error.toData(),
  };
}

/** Something arrived: tasks that wait for a person look whether it is for them. */
export function wakeTasks({ tasks }: Runtime): void {
  for (const [id, { outcome }] of tasks) if (outcome?.status === 'waiting') tasks.delete(id);
}

/** Records the ends of tasks as messages. */
export async function announceTasks(runtime: Runtime): Promise<void> {
  for (const [id, { outcome }] of runtime.tasks) {
    if (!outcome || outcome.status === 'waiting') continue;
    runtime.tasks.delete(id);
    await announce(runtime, id, outcome);
  }
}

type Ended = Pick<Exclude<ChildOutcome, { status: 'waiting' }>, 'status' | 'text' | 'usage' | 'cost'>;

async function announce(runtime: Runtime, id: string, { status, text, usage, cost }: Ended): Promise<void> {
  const how = { ok: 'has ended', error: 'has failed', cancelled: 'was cancelled' }[status];
  const said = runtime.setup.redact(`<task id="${shortId(id)}">\nThe background task ${how}.\n\n${text}\n</task>`);
  const message = await receive(runtime, [{ type: 'text', text: said.toWellFormed() }]);
  runtime.record([{ type: 'message', message, origin: 'task', task: id, ended: status, usage, cost }]);
}

/** The model said its last word while tasks are open: waits until one of them ends, or something else arrives. */
export async function waitForTasks(runtime: Runtime): Promise<'again' | 'waiting'> {
  const wake = runtime.wake.promise;
  const running = [...runtime.tasks.values()];
  if (running.some(({ outcome }) => outcome && outcome.status !== 'waiting')) return 'again';
  await runtime.flush();
  if (running.every(({ outcome }) => outcome?.status === 'waiting')) return 'waiting';
  await wake;
  return 'again';
}

/** Whether background tasks of this session still run. */
export function hasOpenTasks(runtime: Runtime): boolean {
  return openTasks(runtime).length > 0;
}

/** The run ends: so do its tasks. */
export async function endTasks(runtime: Runtime): Promise<void> {
  for (const task of openTasks(runtime)) {
    const running = runtime.tasks.get(task.id);
    running?.cancel.abort(new ReinError('E_ABORTED'));
    // One that waits for a person has to be told, too.
    if (running?.outcome?.status === 'waiting') start(runtime, task, running.cancel);
  }
  await Promise.all([...runtime.tasks.values()].map(({ done }) => done));
  await announceTasks(runtime);
  for (const { id } of openTasks(runtime)) {
    runtime.tasks.delete(id);
    await announce(runtime, id, { status: 'cancelled', text: 'The run ended.', usage: noUsage, cost: 0 });
  }
}

/** What the model calls a task. */
function shortId(id: string): string {
  return `task_${id.slice(id.lastIndexOf('.') + 1)}`;
}

/** What tools may do with the tasks. */
export function tasksOf(runtime: Runtime): Tasks {
  const find = (id: string) => openTasks(runtime).find((task) => task.id === id || shortId(task.id) === id);
  return {
    list: () => runtime.state.tasks.map((task) => viewOf(runtime, task)),
    async update(id, message) {
      const task = find(id);
      if (!task) return false;
      const parts = [{ type: 'text', text: message } as const];
      await runtime.setup.children.deliver(task.id, {
        id: runtime.setup.newId(),
        kind: 'prompt',
        mode: 'steer',
        parts,
      });
      return true;
    },
    cancel(id) {
      const task = find(id);
      if (!task) return false;
      const running = runtime.tasks.get(task.id);
      running?.cancel.abort(new ReinError('E_ABORTED'));
      if (running?.outcome?.status === 'waiting') start(runtime, task, running.cancel);
      return true;
    },
  };
}

function viewOf(runtime: Runtime, task: TaskState): TaskView {
  const { agent = '', prompt = '' } = runtime.setup.tools.get(task.tool)?.delegate?.(task.input) ?? {};
  const about = { id: shortId(task.id), agent, prompt };
  if (task.status !== 'open') return { ...about, status: task.status, text: task.text };
  const status = runtime.tasks.get(task.id)?.outcome?.status === 'waiting' ? 'waiting' : 'running';
  return { ...about, status, text: runtime.setup.children.look(task.id) };
}

/** The text that ends the call which began a task. */
export function startedText(id: string): string {
  return `Started as ${shortId(id)}. It goes on by itself; its result comes as a message. Go on with other work, or end your turn to wait for it.`;
}
