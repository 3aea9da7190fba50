/** Trust in a folder, put together: what is there, what the user agreed to, and how they do. */
import { lstatSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { type ErrorData, ReinError } from '../../protocol/errors.ts';
import { withFileLock } from '../../services/config/file-lock.ts';
import { parseJsonc } from '../../services/config/read-file.ts';
import { writePrivateFile } from '../../services/config/write-file.ts';
import { compareTexts } from '../../services/trust/compare.ts';
import { findTrustItems } from '../../services/trust/items.ts';
import { type JudgedItem, judgeItems, type ProjectTrust, untrusted } from '../../services/trust/judge.ts';
import { createTrustStore, type TrustStore } from '../../services/trust/store.ts';

export interface TrustPlace {
  /** `$REIN_HOME`. */
  readonly home: string;
  /** Canonical. */
  readonly cwd: string;
}

/** The store of what the user trusts. */
export function trustStore(home: string): TrustStore {
  return createTrustStore(home, { write: writePrivateFile, locked: withFileLock });
}

/** What is in force of a folder. Of one that is not trusted nothing is even looked at. */
export async function loadTrust({ home, cwd }: TrustPlace): Promise<ProjectTrust> {
  const trusted = await trustStore(home).read(cwd);
  if (!trusted) return untrusted;
  return judgeItems(await findItems({ home, cwd }), trusted);
}

/** Names the pieces that are new or changed since the user said yes, and so not in force. */
export function trustWarnings({ trusted, items }: ProjectTrust, cwd: string): ErrorData[] {
  if (!trusted) return [];
  const off = items.filter(({ state }) => state !== 'trusted');
  return off.map(({ id }) => new ReinError('E_TRUST_CHANGED', { item: id, folder: cwd }).toData());
}

/** What a project may bring that runs, and that nobody hears of while it is off. */
const running = [
  ...['tools', 'middleware', 'hooks', 'providers', 'commands'].map((name) => `.rein/${name}`),
  ...['.claude/settings.json', '.claude/settings.local.json'],
];

/** Names what is off in a folder that is not trusted; only whether it is there is looked at. Undefined for nothing. */
export async function offWarning({ home, cwd }: TrustPlace, { trusted }: ProjectTrust): Promise<ErrorData | undefined> {
  if (trusted || home === join(cwd, '.rein')) return undefined;
  // At every start: the other way to look loads a module that is not needed for anything else.
  const items = running.filter((path) => isThere(join(cwd, path)));
  return items.length > 0 ? new ReinError('E_FOLDER_UNTRUSTED', { folder: cwd, items }).toData() : undefined;
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

export interface TrustReview extends TrustPlace {
  readonly trusted: boolean;
  /** Everything that could run or configure. */
  readonly items: readonly (JudgedItem & {
    /** Of a changed one: what changed, line by line, where the text that was agreed to is known. */
    readonly changes?: string;
  })[];
}

/** What a person must see before they trust a folder, or again after it changed. */
export async function reviewTrust({ home, cwd }: TrustPlace): Promise<TrustReview> {
  const store = trustStore(home);
  const known = await store.read(cwd);
  const { items, trusted } = judgeItems(await findItems({ home, cwd }), known);
  const shown = items.map(async (item) => {
    const before = item.state === 'changed' ? await store.textOf(known!.items[item.id]!) : undefined;
    return before === undefined ? item : { ...item, changes: await compareTexts(before, item.text) };
  });
  return { home, cwd, trusted, items: await Promise.all(shown) };
}

/** Trusts exactly what was reviewed. Throws `E_CONFIG_INVALID` when `trust.json` cannot be relied on. */
export async function grantTrust({ home, cwd, items }: TrustReview): Promise<void> {
  await trustStore(home).trust(cwd, items);
}

/** Takes trust back. Throws `E_CONFIG_INVALID`. */
export async function revokeTrust({ home, cwd }: TrustPlace): Promise<void> {
  await trustStore(home).untrust(cwd);
}

/** The user's own home is no project, also where it is a folder's `.rein`. */
async function findItems({ home, cwd }: TrustPlace): ReturnType<typeof findTrustItems> {
  const [own, project] = await Promise.all([home, join(cwd, '.rein')].map((path) => realpath(path).catch(() => path)));
  return own === project ? { items: [] } : findTrustItems(cwd, parseJsonc);
}
