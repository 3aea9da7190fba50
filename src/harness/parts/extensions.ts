/** Everything that can be added: built in, from the user's files, from the caller. */
import { join } from 'node:path';
import { commands as builtInCommands } from '../../extensions/commands/index.ts';
import { hooks as builtInHooks } from '../../extensions/hooks/index.ts';
import { middleware as builtInMiddleware } from '../../extensions/middleware/index.ts';
import type { DefinedCommand } from '../../protocol/define/command.ts';
import type { DefinedHook } from '../../protocol/define/hook.ts';
import {
  type DefinedMiddleware,
  type MiddlewareFactory,
  type MiddlewareHost,
  slots,
} from '../../protocol/define/middleware.ts';
import type { DefinedProvider } from '../../protocol/define/provider.ts';
import type { ErrorData, ReinError } from '../../protocol/errors.ts';
import { type ExtensionFolder, loadUserExtensions } from '../../services/extensions/load.ts';
import type { ProjectTrust } from '../../services/trust/judge.ts';
import type { HarnessOptions } from '../options.ts';
import { gatherTools, type ToolEntry } from './tools.ts';

export interface Extensions {
  /** In order of name; those with a `problem` are not registered. */
  readonly tools: readonly ToolEntry[];
  /** In slot order, outermost first. */
  readonly middleware: readonly DefinedMiddleware[];
  readonly hooks: readonly DefinedHook[];
  /** Hook files that did not load: no session is opened without what they forbid. */
  readonly brokenHooks: readonly ReinError[];
  readonly providers: readonly DefinedProvider[];
  readonly commands: ReadonlyMap<string, () => Promise<DefinedCommand>>;
}

/** Throws `E_EXTENSION_CLASH` when two tools have the same name. Files that do not load are warnings. */
export async function loadExtensions(
  options: HarnessOptions,
  host: MiddlewareHost & { readonly trust: ProjectTrust },
  onWarning: (warning: ErrorData) => void,
): Promise<Extensions> {
  const user = await loadUserExtensions([{ path: host.home }, ...projectFolder(host)], onWarning);
  const caller = (options.tools ?? []).map((tool) => ({ tool, source: 'caller' }));
  const builtIn = await Promise.all(
    (builtInMiddleware as readonly (DefinedMiddleware | MiddlewareFactory)[]).map((one) =>
      typeof one === 'function' ? one(host) : one,
    ),
  );
  const middleware = inSlotOrder([builtIn, user.middleware, options.middleware ?? []]);
  const brought = middleware.flatMap(({ name, tools = [] }) => tools.map((tool) => ({ tool, source: name })));
  const ownCommands = [...user.commands, ...(options.commands ?? [])];
  return {
    tools: gatherTools([...brought, ...user.tools, ...caller]),
    middleware,
    brokenHooks: user.brokenHooks,
    hooks: [...builtInHooks, ...user.hooks, ...(options.hooks ?? [])],
    providers: [...user.providers, ...(options.providers ?? [])],
    commands: new Map<string, () => Promise<DefinedCommand>>([
      ...Object.entries(builtInCommands).map(
        ([name, load]) =>
          [name, async () => (await (load as () => Promise<{ default: DefinedCommand }>)()).default] as const,
      ),
      ...ownCommands.map((command) => [command.name, async () => command] as const),
    ]),
  };
}

/** The project's files that the user agreed to, as they were then. */
function projectFolder({ cwd, trust }: { cwd: string; trust: ProjectTrust }): ExtensionFolder[] {
  const code = trust.items.filter(({ kind, state }) => kind === 'code' && state === 'trusted');
  if (code.length === 0) return [];
  return [{ path: join(cwd, '.rein'), files: new Map(code.map(({ id, text }) => [join(cwd, id), text])) }];
}

/** What no file may replace: only the caller of the library can. */
const guarded = ['approval', 'repair'];

/** Later sources replace earlier ones of the same name; `sources` are built in, files, caller. */
function inSlotOrder(sources: readonly (readonly DefinedMiddleware[])[]): DefinedMiddleware[] {
  const byName = new Map<string, DefinedMiddleware>();
  for (const [index, source] of sources.entries()) {
    for (const one of source) {
      const isFile = index === 1;
      if (isFile && (guarded.includes(one.name) || guarded.includes(one.slot ?? 'user'))) continue;
      byName.set(one.name, one);
    }
  }
  const position = ({ slot = 'user' }: DefinedMiddleware) => slots.indexOf(slot);
  return [...byName.values()].sort((a, b) => position(a) - position(b));
}
