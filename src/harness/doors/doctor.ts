/** What a person asks before anything runs: which models there are, and whether everything Rein needs is there. */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ReinError } from '../../protocol/errors.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { prepareHome } from '../../services/config/home.ts';
import { chooseModel, loadProviderConfig } from '../../services/config/provider.ts';
import { findRipgrep } from '../../services/workspace/find-ripgrep.ts';
import type { Harness } from '../create-harness.ts';
import { connect } from '../parts/models.ts';

/** Models of the provider in use, or of the one that `wanted` names, as `provider/model`. Throws `E_PROVIDER_*`. */
export async function listModels(harness: Harness, wanted?: string): Promise<string[]> {
  const sources = await harness.sources();
  const settings = chooseModel(wanted, sources);
  const provider = await connect(settings, sources);
  const models = await provider.listModels(AbortSignal.timeout(20_000));
  return models.map(({ id }) => `${settings.provider}/${id}`);
}

export interface Check {
  readonly name: 'node' | 'sqlite' | 'home' | 'config' | 'store' | 'provider' | 'ripgrep' | 'sandbox' | 'shell';
  /** What was looked at, where there are several. */
  readonly subject?: string;
  readonly state: 'ok' | 'warning' | 'failed';
  /** Text, or a key of the dictionary with `params`. */
  readonly detail: string;
  readonly params?: JsonObject;
}

/** Looks at one thing after the other. Never throws. `invalid` says what is wrong with the configuration. */
export async function* checks(harness: Harness, invalid: readonly string[] = []): AsyncGenerator<Check> {
  yield { name: 'node', state: 'ok', detail: process.versions.node };
  yield { name: 'sqlite', state: 'ok', detail: process.versions.sqlite ?? '?' };
  yield await guarded('home', () => tryWriting(harness.home));
  for (const detail of invalid) yield { name: 'config', state: 'failed', detail };
  if (invalid.length === 0) yield { name: 'config', state: 'ok', detail: 'cli.doctor.asWritten' };
  yield await guarded('store', () => checkStore(harness));
  for (const provider of await providersWithKey(harness)) {
    const { ok, detail } = await harness.testConnection(provider);
    yield { name: 'provider', subject: provider, state: ok ? 'ok' : 'failed', detail };
  }
  const ripgrep = await findRipgrep(process.env.PATH)([harness.cwd]);
  yield ripgrep === undefined
    ? { name: 'ripgrep', state: 'warning', detail: 'cli.doctor.noRipgrep' }
    : { name: 'ripgrep', state: 'ok', detail: ripgrep };
  yield await checkSandbox(harness);
  yield await guarded('shell', async () => {
    await access('/bin/bash', constants.X_OK);
    return '/bin/bash';
  });
}

async function checkSandbox(harness: Harness): Promise<Check> {
  const { sandbox: setting } = harness.config;
  try {
    const { level, why } = await harness.sandbox();
    if (level === 'proven') return { name: 'sandbox', state: 'ok', detail: why };
    return { name: 'sandbox', state: 'warning', detail: 'cli.doctor.noSandbox', params: { setting, why } };
  } catch (error) {
    const why = ReinError.is(error) ? String(error.params.detail) : String(error);
    return { name: 'sandbox', state: 'failed', detail: 'cli.doctor.noSandbox', params: { setting, why } };
  }
}

async function guarded(name: Check['name'], look: () => Promise<string>): Promise<Check> {
  try {
    return { name, state: 'ok', detail: await look() };
  } catch (error) {
    return { name, state: 'failed', detail: error instanceof Error ? error.message : String(error) };
  }
}

async function tryWriting(home: string): Promise<string> {
  const file = join(home, `.${randomUUID()}.tmp`);
  prepareHome(home);
  await writeFile(file, '', { flag: 'wx', mode: 0o600 });
  await rm(file);
  return home;
}

async function checkStore(harness: Harness): Promise<string> {
  await harness.store();
  const { openSqlite } = await import('../../services/sessions/sql-sqlite.ts');
  const file = join(harness.home, 'rein.db');
  const sql = await openSqlite(file);
  try {
    const [row] = await sql.all('PRAGMA quick_check(1)');
    const found = String(Object.values(row ?? {})[0]);
    if (found !== 'ok') throw new ReinError('E_STORE_CORRUPT', { store: file, detail: found });
    return file;
  } finally {
    await sql.close();
  }
}

async function providersWithKey(harness: Harness): Promise<string[]> {
  const sources = await harness.sources();
  const isSet = (name: string) => {
    const { apiKey, baseUrl } = loadProviderConfig(name, sources);
    const definition = sources.definitions.get(name);
    return (
      apiKey !== undefined ||
      (definition?.keyless === true && definition.envPrefix !== undefined && baseUrl !== definition.defaultBaseUrl)
    );
  };
  const inUse = chooseModel(undefined, sources).provider;
  return [...sources.definitions.keys()].filter((name) => name === inUse || isSet(name));
}
