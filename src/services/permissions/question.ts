/** What the permission service is asked, and what it answers. */
import type { PermissionMode } from '../../protocol/config.ts';
import type { Refusal } from '../../protocol/event.ts';
import type { JudgedCall } from './match.ts';
import type { MemoryPlace } from './memory.ts';
import type { Place } from './paths.ts';
import type { ShellJudge } from './shell/judge.ts';
import type { Warning } from './warnings.ts';

/** Where commands run: proven to hold, held by a container the user vouches for, not held, or switched off. */
export type SandboxLevel = 'proven' | 'external' | 'none' | 'off';

interface PermissionRules {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

export interface PermissionQuestion extends Place {
  readonly mode: PermissionMode;
  readonly rules: PermissionRules;
  /** Rules granted for this session. */
  readonly grants: readonly string[];
  readonly call: JudgedCall;
  readonly sandbox: SandboxLevel;
  /** Whether somebody can be asked. */
  readonly interactive: boolean;
  /** A policy hook wants a person to look at what would run without a question. */
  readonly ask?: boolean;
  /** Needed for commands; without one only commands that a rule writes out are allowed. */
  readonly shell?: ShellJudge;
  readonly memory?: MemoryPlace;
  /** Whether git would run programs that the folder's own settings name. Asked for git in a command alone: it reads files. */
  gitRunsPrograms?(): boolean;
}

/** Why; a text of the dictionary under `permissions.why`. */
export type Why =
  | 'denyRule'
  | 'secretPath'
  | 'askRule'
  | 'hook'
  | 'gitPrograms'
  | 'protectedName'
  | 'memory'
  | 'memoryOfOthers'
  | 'harmless'
  | 'allowRule'
  | 'sessionGrant'
  | 'bypass'
  | 'readInFolder'
  | 'editInFolder'
  | 'sandboxedCommand'
  | 'readOnlyCommand'
  | 'planMode'
  | 'noSandbox'
  | 'unclearCommand'
  | 'unclearFile'
  | 'outsideFolder'
  | 'network'
  | 'needsApproval';

export interface PermissionDecision {
  readonly verdict: 'allow' | 'ask' | 'deny';
  readonly why: Why;
  /** The rule that decided, as it was written. */
  readonly rule?: string;
  /** With `ask`: what "for this session" and "always" would allow. Absent when neither may be offered. */
  readonly narrowRule?: string;
  readonly warnings: readonly Warning[];
  /** With `deny`: `nobody` when a person would have been asked, else `rule`. */
  readonly refusal?: Refusal;
}

/** A decision before anybody was asked. */
export interface Judgement {
  readonly verdict: 'allow' | 'ask' | 'deny';
  readonly why: Why;
  readonly rule?: string;
  /** Asked each time: no rule would let it pass. */
  readonly eachTime?: boolean;
}
