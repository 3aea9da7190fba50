/** Reads and changes single keys of the user's configuration file. Comments and layout stay. */
import { type ConfigFile, configSchema } from '../../protocol/config.ts';
import type { Json } from '../../protocol/json.ts';
import { withFileLock } from './file-lock.ts';
import { checkConfigAt } from './problem.ts';
import { parseJsonc, readText } from './read-file.ts';
import { writePrivateFile } from './write-file.ts';

/** The value at a dotted path of a configuration; `undefined` when nothing is set there. */
export function getKey(config: object, path: string): Json | undefined {
  let node: unknown = config;
  for (const step of path.split('.')) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, step)) return undefined;
    node = (node as Record<string, unknown>)[step];
  }
  return node as Json;
}

/** Told of a file's content before it is written; what it throws keeps the file as it is. */
export type Accept = (content: ConfigFile) => void | Promise<void>;

/**
 * Sets a key of the file, `undefined` removes it. Throws `E_CONFIG_INVALID` and changes nothing when the value would
 * not be valid; what else is wrong in the file does not matter, so that one key after the other can be mended.
 */
export async function setKey(file: string, path: string, value: Json | undefined, accept?: Accept): Promise<void> {
  await change(file, [[path.split('.'), value]], accept);
}

/** Sets a key from text as typed: JSON where that is valid for the key, else the text itself. */
export async function setKeyText(file: string, path: string, text: string, accept?: Accept): Promise<void> {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return setKey(file, path, text, accept);
  }
  if (typeof value === 'string') return setKey(file, path, value, accept);
  try {
    await setKey(file, path, value, accept);
  } catch (error) {
    // `config set model 4` means the text.
    await setKey(file, path, text, accept).catch(() => {
      throw error;
    });
  }
}

/** Sets the given keys and leaves all others. Throws `E_CONFIG_*`. */
export async function saveConfig(file: string, values: ConfigFile, accept?: Accept): Promise<void> {
  const edits = Object.entries(values).map(([key, value]): [string[], Json] => [[key], value as Json]);
  await change(file, edits, accept);
}

/** Adds a rule to the user's list unless it is there. */
export function addRule(file: string, kind: 'allow' | 'ask' | 'deny', rule: string): Promise<void> {
  return withFileLock(file, async () => {
    const content = await parseJsonc((await readText(file)) ?? '', file);
    const rules = (getKey(content as object, `permissions.${kind}`) as string[] | undefined) ?? [];
    if (!rules.includes(rule))
      await changeAlone(file, [
        [
          ['permissions', kind],
          [...rules, rule],
        ],
      ]);
  });
}

type Edit = readonly [path: string[], value: Json | undefined];

function change(file: string, edits: readonly Edit[], accept?: Accept): Promise<void> {
  return withFileLock(file, () => changeAlone(file, edits, accept));
}

async function changeAlone(file: string, edits: readonly Edit[], accept?: Accept): Promise<void> {
  let text = (await readText(file)) ?? '';
  await parseJsonc(text, file);
  if (text.trim() === '') text = '{}\n';
  const { applyEdits, modify } = await import('jsonc-parser');
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };
  for (const [path, value] of edits) text = applyEdits(text, modify(text, path, value, { formattingOptions }));
  const content = await parseJsonc(text, file);
  checkConfigAt(
    content,
    file,
    edits.map(([path]) => path),
  );
  const changed = pick(content as ConfigFile, new Set(edits.map(([[key]]) => key!)));
  await accept?.(changed);
  await writePrivateFile(file, text);
}

/** Of the keys that were changed those that are sound as a whole. */
function pick(content: ConfigFile, keys: ReadonlySet<string>): ConfigFile {
  const { shape } = configSchema();
  const sound = Object.entries(content).filter(([key, value]) => {
    return keys.has(key) && Object.hasOwn(shape, key) && shape[key as keyof typeof shape].safeParse(value).success;
  });
  return Object.fromEntries(sound);
}
