/**
 * The short way to read the arguments: of most calls, flags as the table has them are all there is. Everything else is
 * for commander, which a start need not load then.
 */
import { type FlagSpec, flagTable, type Values } from './flags.ts';

/** Values by name of the flag, as commander would give them; undefined where it has to have a look itself. */
export function readPlainFlags(argv: readonly string[]): Values | undefined {
  const values: Record<string, unknown> = {};
  const words = withPrompt(argv);
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const flag = flags().get(word);
    if (!flag) return undefined;
    const { key, long, parse } = flag;
    if (!parse) values[key] = true;
    else {
      const value = words[++index];
      if (value === undefined) return undefined;
      try {
        values[key] = parse(value, long, values[key]);
      } catch {
        // What is wrong with it may not be the first thing that is.
        return undefined;
      }
    }
  }
  return values;
}

/** `-p` at the end reads the prompt from standard input; anywhere else the next word is the prompt, whatever it looks like. */
export function withPrompt(argv: readonly string[]): string[] {
  const last = argv.at(-1) ?? '';
  return last === '-p' || last === '--print' ? [...argv, '-'] : [...argv];
}

type Flag = Pick<FlagSpec, 'parse'> & { readonly key: string; readonly long: string };

let known: Map<string, Flag> | undefined;

/** By each way to write it. */
function flags(): Map<string, Flag> {
  known ??= new Map(
    (Object.entries(flagTable) as [string, FlagSpec][]).flatMap(([key, { flags: written, alias, parse }]) =>
      [written, alias ?? ''].flatMap((form) => {
        const names = form.split(/[ ,]+/).filter((name) => name.startsWith('-'));
        return names.map((name) => [name, { key, long: names.at(-1)!, parse }] as const);
      }),
    ),
  );
  return known;
}
