/** Joins configuration sources. Lists of rules add up, a deny rule is never removed, a project only narrows. */
import { type Config, type ConfigFile, permissionModes, sandboxSettings } from '../../protocol/config.ts';

/** What counts where no source says otherwise. */
export const defaults: Omit<Config, 'lang'> = {
  profile: 'default',
  permissions: { mode: 'default', allow: [], ask: [], deny: [] },
  sandbox: 'preferred',
  limits: { maxTurns: 50, maxRetries: 3 },
  skills: { mode: 'index' },
};

/** Lays `over` on `base`: single values replace, rules and hooks add up, maps join by name. */
export function overlay(base: ConfigFile, over: ConfigFile): ConfigFile {
  const { permissions = {}, hooks = {} } = over;
  const rules = (kind: 'allow' | 'ask' | 'deny') => [
    ...new Set([...(base.permissions?.[kind] ?? []), ...(permissions[kind] ?? [])]),
  ];
  const joined: ConfigFile = {
    ...base,
    ...defined(over),
    permissions: {
      mode: permissions.mode ?? base.permissions?.mode,
      allow: rules('allow'),
      ask: rules('ask'),
      deny: rules('deny'),
    },
    hooks: { ...base.hooks },
  };
  for (const event of Object.keys(hooks) as (keyof typeof hooks)[]) {
    joined.hooks![event] = [...(base.hooks?.[event] ?? []), ...(hooks[event] ?? [])];
  }
  for (const name of ['roles', 'limits', 'skills', 'mcpServers', 'providers', 'models', 'server'] as const) {
    if (base[name] || over[name]) Object.assign(joined, { [name]: { ...base[name], ...defined(over[name] ?? {}) } });
  }
  if (base.compaction || over.compaction) {
    const inner = { ...base.compaction?.arguments, ...over.compaction?.arguments };
    joined.compaction = { ...base.compaction, ...over.compaction, arguments: inner };
  }
  return joined;
}

const trustedKeys = ['lang', 'theme', 'model', 'skills', 'compaction', 'mcpServers', 'hooks'] as const;

/**
 * Lays a project's file on the user's. Untrusted: deny and ask rules only. Trusted: the keys a project may set, and
 * mode, sandbox and limits where they are stricter. `ignored` names the keys that had no effect.
 */
export function overlayProject(
  base: ConfigFile,
  project: ConfigFile,
  trusted: boolean,
): { config: ConfigFile; ignored: string[] } {
  const { mode, allow, ask, deny } = project.permissions ?? {};
  const taken: ConfigFile = { permissions: { ask, deny } };
  if (trusted) {
    for (const key of trustedKeys) if (project[key] !== undefined) Object.assign(taken, { [key]: project[key] });
    taken.permissions!.allow = allow;
    const now = base.permissions?.mode ?? defaults.permissions.mode;
    if (mode && permissionModes.indexOf(mode) <= permissionModes.indexOf(now)) taken.permissions!.mode = mode;
    const box = base.sandbox ?? defaults.sandbox;
    if (project.sandbox && sandboxSettings.indexOf(project.sandbox) <= sandboxSettings.indexOf(box)) {
      taken.sandbox = project.sandbox;
    }
    taken.limits = stricterLimits(base.limits, project.limits);
  }
  return { config: overlay(base, taken), ignored: ignoredKeys(project, taken) };
}

function stricterLimits(base: ConfigFile['limits'], project: ConfigFile['limits']): ConfigFile['limits'] {
  const limits: NonNullable<ConfigFile['limits']> = {};
  for (const [name, value] of Object.entries(project ?? {}) as [keyof typeof limits, number][]) {
    const now = base?.[name] ?? (defaults.limits as Partial<Record<string, number>>)[name] ?? Number.POSITIVE_INFINITY;
    if (value <= now) limits[name] = value;
  }
  return limits;
}

function ignoredKeys(project: ConfigFile, taken: ConfigFile): string[] {
  const ignored: string[] = [];
  for (const [key, value] of Object.entries(project)) {
    if (key === '$schema' || value === undefined) continue;
    const kept = taken[key as keyof ConfigFile];
    if (key === 'permissions' || key === 'limits') {
      const names = Object.keys(value as object).filter((name) => !Object.hasOwn(defined(kept as object) ?? {}, name));
      ignored.push(...names.map((name) => `${key}.${name}`));
    } else if (kept === undefined) ignored.push(key);
  }
  return ignored;
}

/** Without keys whose value is `undefined`, which would hide what lies below. */
function defined<T extends object>(value: T | undefined): T {
  return Object.fromEntries(Object.entries(value ?? {}).filter(([, each]) => each !== undefined)) as T;
}
