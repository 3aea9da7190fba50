/** The two files of memory: a root of their own, with rules of its own. */
import type { PermissionMode } from '../../protocol/config.ts';
import type { JudgedCall } from './match.ts';

export interface MemoryPlace {
  /** Absolute paths of what is remembered of the user, and of the working folder. */
  readonly user: string;
  readonly repository: string;
  /** The user has declared the working folder as trusted. */
  readonly trusted: boolean;
  readonly subAgent: boolean;
  exists(path: string): boolean;
}

export interface MemoryJudgement {
  readonly verdict: 'allow' | 'ask' | 'deny';
  readonly why: 'memory' | 'memoryOfOthers' | 'planMode';
  readonly eachTime?: boolean;
}

export interface MemoryQuestion {
  readonly call: JudgedCall;
  readonly mode: PermissionMode;
  readonly memory?: MemoryPlace;
}

/**
 * Reading passes. Writing is an exact edit, or `write_file` where the file is missing: it passes for a trusted folder;
 * for another one only the folder's own file may be written, and that is asked. Never in `plan`, never for sub-agents.
 * Undefined for a call that is about something else.
 */
export function judgeMemory(
  { call, mode, memory }: MemoryQuestion,
  paths: readonly (string | undefined)[],
): MemoryJudgement | undefined {
  const [path] = paths;
  if (!memory || path === undefined || paths.length !== 1) return undefined;
  if (path !== memory.user && path !== memory.repository) return undefined;
  if (call.tool === 'read_file') return { verdict: 'allow', why: 'memory' };
  if (call.tool !== 'edit_file' && call.tool !== 'write_file') return undefined;
  if (mode === 'plan') return { verdict: 'deny', why: 'planMode' };
  if (memory.subAgent || (!memory.trusted && path === memory.user)) return { verdict: 'deny', why: 'memoryOfOthers' };
  if (call.tool === 'write_file' && memory.exists(path)) return undefined;
  return memory.trusted ? { verdict: 'allow', why: 'memory' } : { verdict: 'ask', why: 'memory', eachTime: true };
}
