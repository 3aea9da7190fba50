/** Reads a configuration file: JSON with comments. */
import { readFileSync, statSync } from 'node:fs';
import type { ConfigFile } from '../../protocol/config.ts';
import { ReinError } from '../../protocol/errors.ts';
import { checkConfig } from './problem.ts';

const maxBytes = 1024 * 1024;

/**
 * The checked content; `undefined` when there is no such file.
 * Throws `E_CONFIG_SYNTAX` or `E_CONFIG_INVALID`, and `E_INPUT_FILE` when it cannot be read.
 */
export async function readConfigFile(file: string): Promise<ConfigFile | undefined> {
  const text = await readText(file);
  return text === undefined ? undefined : parseConfig(text, file);
}

/** The checked content of a configuration file's text. Throws `E_CONFIG_SYNTAX`, `E_CONFIG_INVALID`. */
export async function parseConfig(text: string, file: string): Promise<ConfigFile> {
  return checkConfig(await parseJsonc(text.replace(/^\uFEFF/, ''), file), file);
}

/** The text of a file; `undefined` when there is none. */
export async function readText(file: string): Promise<string | undefined> {
  try {
    // A few small files once a start: the thread pool would take longer than the reading.
    const info = statSync(file, { throwIfNoEntry: false });
    if (!info) return undefined;
    if (!info.isFile() || info.size > maxBytes) throw new Error(info.isFile() ? 'too large' : 'not a regular file');
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ReinError('E_INPUT_FILE', { file, detail: message }, error);
  }
}

/** Reads JSON with comments and trailing commas. Throws `E_CONFIG_SYNTAX` with the place. Empty text is `{}`. */
export async function parseJsonc(text: string, file: string): Promise<unknown> {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    // Most files are plain JSON; only others need the parser.
  }
  const { parse } = await import('jsonc-parser');
  const errors: { error: number; offset: number; length: number }[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  if (errors.length === 0) return value ?? {};
  const before = text.slice(0, errors[0]!.offset).split('\n');
  throw new ReinError('E_CONFIG_SYNTAX', { file, line: before.length, column: before.at(-1)!.length + 1 });
}
