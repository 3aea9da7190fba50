/** Hooks that are written down for Claude Code, in `.claude/settings.json`. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../lib/is-object.ts';
import { hookEvents } from '../../protocol/define/hook.ts';
import type { HookGroups } from './command-hook.ts';

/**
 * The command hooks of `<folder>/.claude/settings.json`. Events and kinds of hooks that are not known here are passed
 * over. Throws when the file is there and is no JSON, or no regular file: hooks that guard something would be missing without a word.
 */
export async function readClaudeHooks(folder: string): Promise<HookGroups> {
  const text = readSettings(join(folder, '.claude', 'settings.json'));
  if (text === undefined) return {};
  const { hooks } = JSON.parse(text) as { hooks?: unknown };
  return toHookGroups(hooks);
}

function readSettings(file: string): string | undefined {
  // Whoever opens a pipe waits, perhaps for ever.
  if (existsSync(file) && !statSync(file).isFile()) throw new Error('not a regular file');
  try {
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** The command hooks of a `hooks` section as it was written; what is not known is passed over. */
export function toHookGroups(hooks: unknown): HookGroups {
  const groups: HookGroups = {};
  for (const event of hookEvents) {
    const list = toGroups(isObject(hooks) ? hooks[event] : undefined);
    if (list.length > 0) groups[event] = list;
  }
  return groups;
}

type Group = NonNullable<HookGroups['Stop']>[number];

function toGroups(value: unknown): Group[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).flatMap(({ matcher, hooks }) => {
    const commands = (Array.isArray(hooks) ? hooks : []).filter(isObject).flatMap((hook): Group['hooks'] => {
      const { type, command, timeout } = hook;
      if (type !== 'command' || typeof command !== 'string' || command === '') return [];
      return [{ command, ...(typeof timeout === 'number' && timeout > 0 && { timeout }) }];
    });
    return commands.length > 0 ? [{ hooks: commands, ...(typeof matcher === 'string' && { matcher }) }] : [];
  });
}
