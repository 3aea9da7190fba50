/** Where a mode may let less pass than it says: in folders nobody vouched for, and in those that hold too much. */
import type { Config, PermissionMode } from '../../protocol/config.ts';
import { isInside } from '../../services/permissions/paths.ts';
import type { HarnessOptions } from '../options.ts';

export interface CautionParts {
  readonly options: Pick<HarnessOptions, 'flags'>;
  readonly config: Pick<Config, 'permissions'>;
  readonly environment: { readonly home: string; readonly userHome: string };
}

/**
 * The mode that holds for these folders. `acceptEdits` grants nothing in the root of the disk, in the user's home or
 * above `$REIN_HOME`; and in an untrusted folder modes that let changes pass count when a flag of this very run says so,
 * not when they are a standing habit.
 */
export function modeFor(
  roots: readonly string[],
  trusted: boolean,
  { options, config, environment }: CautionParts,
): PermissionMode {
  const { mode } = config.permissions;
  if (mode === 'acceptEdits' && roots.some((root) => isWide(root, environment))) return 'default';
  const isHabit = options.flags?.permissionMode === undefined;
  return !trusted && isHabit && (mode === 'acceptEdits' || mode === 'bypassPermissions') ? 'default' : mode;
}

function isWide(root: string, { home, userHome }: CautionParts['environment']): boolean {
  return isInside(userHome, root) || isInside(home, root);
}
