/** Says in English why a call was refused and what to do next; for the model and for logs. */
import type { PermissionDecision, Why } from './question.ts';

const reasons: Readonly<Record<Why, string>> = {
  denyRule: 'a rule of the user forbids it',
  secretPath: 'the file may hold keys, and no tool may touch it',
  askRule: 'a rule of the user wants it approved each time',
  hook: 'a hook wants it approved',
  gitPrograms: "the repository's settings name a program that git would run, and no sandbox holds it",
  protectedName: 'the file is protected: it can run code or change settings, so each change needs approval',
  memory:
    'it is about what is remembered of this folder, which the user has not declared as trusted, so it needs approval',
  memoryOfOthers:
    'memory is written by the main agent alone, and what is remembered of the user only in a folder that is trusted',
  harmless: 'it changes nothing outside the session',
  allowRule: 'a rule of the user allows it',
  sessionGrant: 'the user allowed it for this session',
  bypass: 'the mode bypassPermissions allows it',
  readInFolder: 'it reads inside the working folder',
  editInFolder: 'the mode acceptEdits allows changes inside the working folder',
  sandboxedCommand: 'the mode acceptEdits allows commands inside the sandbox',
  readOnlyCommand: 'the command only reads',
  planMode: 'in plan mode only reading is allowed',
  noSandbox: 'no sandbox holds the command here, so each command needs approval',
  unclearCommand: 'it cannot be told from its text what the command runs, so it needs approval',
  unclearFile:
    'it cannot be told from its text which files the command opens; one may hold keys or be held by a rule, so it needs approval',
  outsideFolder: 'the path is not surely inside the working folder, so it needs approval',
  network: 'it asks for the network, which each command needs approval for',
  needsApproval: 'it needs approval',
};

/** Why, as one clause. */
function explainWhy({ why, rule }: Pick<PermissionDecision, 'why' | 'rule'>): string {
  return rule === undefined ? reasons[why] : `${reasons[why]}: ${rule}`;
}

/** The result the model gets for a refused call. */
export function explainRefusal(tool: string, decision: PermissionDecision): string {
  const { why, refusal } = decision;
  if (why === 'planMode') {
    return `${tool} was not run: ${explainWhy(decision)}. Go on reading, then present the plan; do not try other ways to change something.`;
  }
  if (refusal === 'nobody') {
    return `${tool} was not run: ${explainWhy(decision)}, and nobody can be asked in this run. Do not try it again or in another form; do what is possible without it and say at the end what was left out.`;
  }
  return `${tool} was not run: ${explainWhy(decision)}. Do not try it again or in another form; find another way, or say at the end what was left out.`;
}
