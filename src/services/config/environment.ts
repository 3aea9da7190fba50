/** The environment: variables of the process over those of `$REIN_HOME/.env`. Nothing else reads `process.env`. */
import { homedir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { withFileLock } from './file-lock.ts';
import { readText } from './read-file.ts';
import { writePrivateFile } from './write-file.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

export interface Environment {
  /** `$REIN_HOME`, absolute. */
  readonly home: string;
  /** The person's own home folder, absolute. */
  readonly userHome: string;
  /** The variables of the process alone: what programs that Rein starts may be given. */
  readonly process: Variables;
  /** Those of `$REIN_HOME/.env`. */
  readonly stored: Variables;
  /** A variable of the process, else of `.env`; a blank one counts as absent. */
  get(name: string): string | undefined;
}

/** Reads `$REIN_HOME/.env` and puts it below `variables` (default: those of the process). */
export async function readEnvironment(variables: Variables = process.env): Promise<Environment> {
  // An empty HOME would make it a folder of wherever one is.
  const userHome = resolve(variables.HOME || homedir() || userInfo().homedir);
  const home = variables.REIN_HOME ? resolve(variables.REIN_HOME) : join(userHome, '.rein');
  const stored = parseDotEnv((await readText(join(home, '.env'))) ?? '');
  return {
    home,
    userHome,
    process: variables,
    stored: Object.fromEntries(stored),
    get: (name) => variables[name]?.trim() || stored.get(name) || undefined,
  };
}

const line = /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(.*)$/;

/**
 * Variables of a `.env` text: `NAME=value`, `export NAME=value`, values in single quotes as they are, in double quotes
 * with `\n` and `\"`, bare ones up to ` #`. Other lines are passed over; the last of equal names counts. Nothing is expanded.
 */
export function parseDotEnv(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const each of text.split(/\r?\n/)) {
    const match = line.exec(each);
    if (match) found.set(match[1]!, readValue(match[2]!.trim()));
  }
  return found;
}

function readValue(text: string): string {
  const quoted = /^'([^']*)'|^"((?:[^"\\]|\\.)*)"/.exec(text);
  if (quoted?.[1] !== undefined) return quoted[1];
  if (quoted?.[2] !== undefined) {
    return quoted[2].replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));
  }
  return text.replace(/(^|\s+)#.*$/, '');
}

/** Stores a variable in `$REIN_HOME/.env` (0600); other lines stay. Throws `E_CONFIG_WRITE`. */
export async function saveVariable(home: string, name: string, value: string): Promise<void> {
  const file = join(home, '.env');
  await withFileLock(file, () => setVariable(file, name, value));
}

async function setVariable(file: string, name: string, value: string): Promise<void> {
  const kept = ((await readText(file)) ?? '').split(/\r?\n/).filter((each) => line.exec(each)?.[1] !== name);
  while (kept.at(-1) === '') kept.pop();
  const written = /^[\w./:@%+,=-]+$/.test(value)
    ? value
    : `"${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
  await writePrivateFile(file, `${[...kept, `${name}=${written}`].join('\n')}\n`);
}
