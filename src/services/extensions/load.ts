/** The user's own extensions: files in `tools/`, `middleware/`, `hooks/`, `providers/` and `commands/` of a folder. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DefinedCommand, isCommand } from '../../protocol/define/command.ts';
import { type DefinedHook, isHook } from '../../protocol/define/hook.ts';
import { type DefinedMiddleware, isMiddleware } from '../../protocol/define/middleware.ts';
import { type DefinedProvider, isProvider } from '../../protocol/define/provider.ts';
import { type DefinedTool, isTool } from '../../protocol/define/tool.ts';
import { type ErrorData, ReinError } from '../../protocol/errors.ts';

/** A folder with `tools/`, `hooks/` and so on. */
export interface ExtensionFolder {
  readonly path: string;
  /** Only these files are loaded and imported, by absolute path, with exactly this text; all when absent. */
  readonly files?: ReadonlyMap<string, string>;
}

export interface UserExtensions {
  readonly tools: { readonly tool: DefinedTool; readonly source: string }[];
  readonly middleware: DefinedMiddleware[];
  readonly hooks: DefinedHook[];
  /** Files in `hooks/` that did not load (`E_HOOK_FILE`): what they forbid is not known. */
  readonly brokenHooks: ReinError[];
  readonly providers: DefinedProvider[];
  readonly commands: DefinedCommand[];
}

/**
 * Loads the files of each folder in order of their names. A default export is one definition or a list of them. A file
 * that does not load or exports something else is reported (`E_EXTENSION_LOAD`, `E_EXTENSION_INVALID`) and left out; of
 * hooks it is handed back, because what guards fails closed. Where there are no files, nothing is imported.
 */
export async function loadUserExtensions(
  folders: readonly ExtensionFolder[],
  onWarning: (warning: ErrorData) => void,
): Promise<UserExtensions> {
  const found: UserExtensions = { tools: [], middleware: [], hooks: [], brokenHooks: [], providers: [], commands: [] };
  const kinds: readonly Kind[] = [
    { name: 'tools', take: taker(isTool, (tool, source) => found.tools.push({ tool, source })) },
    { name: 'middleware', take: taker(isMiddleware, (one) => found.middleware.push(one)) },
    { name: 'hooks', take: taker(isHook, (one) => found.hooks.push(one)) },
    { name: 'providers', take: taker(isProvider, (one) => found.providers.push(one)) },
    { name: 'commands', take: taker(isCommand, (one) => found.commands.push(one)) },
  ];
  const report = (kind: Kind, file: string, error: unknown) => {
    if (kind.name === 'hooks') found.brokenHooks.push(hookProblem(file, error));
    else onWarning(problem(file, error).toData());
  };
  for (const folder of folders) {
    for (const kind of kinds) await loadKind(folder, kind, (file, error) => report(kind, file, error));
  }
  return found;
}

interface Kind {
  readonly name: Exclude<keyof UserExtensions, 'brokenHooks'>;
  /** False when the value is no definition of this kind. */
  take(value: unknown, source: string): boolean;
}

function taker<T>(isKind: (value: unknown) => value is T, add: (value: T, source: string) => void): Kind['take'] {
  return (value, source) => {
    if (!isKind(value)) return false;
    add(value, source);
    return true;
  };
}

async function loadKind(
  { path, files }: ExtensionFolder,
  kind: Kind,
  report: (file: string, error: unknown) => void,
): Promise<void> {
  const directory = join(path, kind.name);
  const isOpen = (name: string) => !files || files.has(join(directory, name));
  const names = filesIn(directory, report)
    .filter((name) => isExtensionFile(name) && isOpen(name))
    .sort();
  if (names.length === 0) return;
  const { allowExtensionFolder } = await import('./resolve.ts');
  allowExtensionFolder(directory, files);
  for (const name of names) {
    const file = join(directory, name);
    try {
      const values = [(await importFile(file)).default].flat();
      for (const value of values) {
        if (!kind.take(value, file)) throw new ReinError('E_EXTENSION_INVALID', { file, kind: kind.name });
      }
    } catch (error) {
      report(file, error);
    }
  }
}

function problem(file: string, error: unknown): ReinError {
  return ReinError.is(error) ? error : new ReinError('E_EXTENSION_LOAD', { file, detail: messageOf(error) }, error);
}

function hookProblem(file: string, error: unknown): ReinError {
  const isOther = ReinError.is(error) && error.code === 'E_EXTENSION_INVALID';
  const detail = isOther ? 'its default export is no hook' : messageOf(error);
  return new ReinError('E_HOOK_FILE', { file, detail }, error);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A folder that cannot be read may hold files; one that is none, or not there, holds none. */
function filesIn(directory: string, report: (file: string, error: unknown) => void): string[] {
  if (!existsSync(directory)) return [];
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR') report(directory, error);
    return [];
  }
}

function isExtensionFile(name: string): boolean {
  return /\.(ts|mts|js|mjs)$/.test(name) && !/(\.d\.ts|\.test\.\w+)$/.test(name);
}

async function importFile(file: string): Promise<{ default?: unknown }> {
  return import(pathToFileURL(file).href);
}
