/** Which session the flags mean. */
import { resolve } from 'node:path';
import type { Harness } from '../../harness/create-harness.ts';
import type { Session } from '../../harness/session.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Check } from '../../protocol/plan.ts';
import type { Cli } from './cli.ts';
import { findSession } from './find-session.ts';
import { usageError } from './flags.ts';
import { readInputFile } from './read-input.ts';

/** Opens it: a new one, the newest of the folder, the named one, or a copy. Throws `E_SESSION_*`, `E_PROVIDER_*`. */
export async function openSession(cli: Cli, harness: Harness, over: { plan?: boolean } = {}): Promise<Session> {
  const { continue: latest, resume, forkSession, sessionId } = cli.options;
  const driver = {
    plan: over.plan ?? cli.options.plan,
    verify: cli.options.verify.map(toCheck),
    schema: await readSchema(cli),
  };
  const named = resume === undefined ? undefined : await findSession(await harness.store(), resume);
  return harness.open({ resume: latest ? 'latest' : named, fork: forkSession, id: sessionId, ...driver });
}

function toCheck(command: string): Check {
  return { criterion: command, command };
}

/** The schema of `--json-schema`: its text, or a file that holds it. Throws `E_INPUT_FILE`, `E_USAGE`. */
async function readSchema(cli: Cli): Promise<JsonObject | undefined> {
  const { jsonSchema } = cli.options;
  if (jsonSchema === undefined) return undefined;
  const isText = jsonSchema.trimStart().startsWith('{');
  const text = isText ? jsonSchema : (await readInputFile(resolve(cli.folder(), jsonSchema))).toString('utf8');
  try {
    const schema: unknown = JSON.parse(text);
    if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) return schema as JsonObject;
  } catch {
    // Falls through: what is no JSON is as wrong as what is no object.
  }
  throw usageError({ text: 'plan.usage.schema' });
}
