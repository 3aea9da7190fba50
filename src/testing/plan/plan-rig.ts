/** A session whose runs are driven by the plan graph, with scripted agents. */

import { createHarness, type Harness } from '../../harness/create-harness.ts';
import type { HarnessOptions, OpenOptions } from '../../harness/options.ts';
import type { Session } from '../../harness/session.ts';
import type { HarnessState } from '../../protocol/plan.ts';
import { createScriptedProvider } from '../scripted-provider.ts';
import { allowAll } from '../session-rig.ts';
import { createTempHome, type TempHome } from '../temp-home.ts';
import type { ScriptRequest } from '../turn.ts';
import { type PlanScript, type Role, respondTo } from './plan-script.ts';

export interface PlanRigOptions extends Partial<HarnessOptions> {
  readonly files?: Readonly<Record<string, string>>;
  /** The permission gate as it is, instead of one that lets everything pass. */
  readonly gated?: boolean;
  /** How the session is opened; driven by the plan graph unless it says otherwise. */
  readonly open?: OpenOptions;
}

export interface PlanRig {
  readonly place: TempHome;
  readonly harness: Harness;
  readonly session: Session;
  readonly seen: readonly { role: Role; step: string; request: ScriptRequest }[];
  state(): HarnessState;
  /** Who was asked, in order. */
  roles(): string[];
  /** The nodes that were reached, in order. */
  edges(): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Makes the rig; `script` says what each agent answers. Every call is allowed unless `gated` is set. */
export async function createPlanRig(script: PlanScript, options: PlanRigOptions = {}): Promise<PlanRig> {
  const { files, gated = false, open, ...more } = options;
  const place = await createTempHome(files);
  const seen: { role: Role; step: string; request: ScriptRequest }[] = [];
  const harness = await createHarness({
    home: place.home,
    cwd: place.workspace,
    env: { PATH: process.env.PATH, HOME: place.home },
    provider: createScriptedProvider({ respond: respondTo(script, seen) }),
    ...(!gated && { middleware: [allowAll] }),
    ...more,
  });
  const session = await harness.open({ plan: true, ...open });
  return {
    place,
    harness,
    session,
    seen,
    state: () => session.plan as unknown as HarnessState,
    roles: () => seen.map(({ role, step }) => (step ? `${role} ${step}` : role)),
    async edges() {
      const all: string[] = [];
      for await (const event of session.events()) {
        if (event.type === 'plan-update' && event.edge) all.push(event.edge);
      }
      return all.join(' ');
    },
    async [Symbol.asyncDispose]() {
      await harness.close();
      await place.remove();
    },
  };
}

/** Makes rigs and ends them with the test. */
export function planRigs(afterEach: (done: () => Promise<void>) => void): typeof createPlanRig {
  const rigs: PlanRig[] = [];
  afterEach(async () => {
    for (const rig of rigs.splice(0)) await rig[Symbol.asyncDispose]();
  });
  return async (...args) => {
    const rig = await createPlanRig(...args);
    rigs.push(rig);
    return rig;
  };
}
