/** What of a folder is in force: what the user has seen and agreed to, unchanged. */
import type { FoundItems, TrustItem } from './items.ts';
import type { TrustedFolder } from './store.ts';

export interface JudgedItem extends TrustItem {
  readonly state: 'trusted' | 'changed' | 'new';
}

export interface ProjectTrust {
  readonly trusted: boolean;
  /** In order of their ids. Of an untrusted folder nothing is looked for. */
  readonly items: readonly JudgedItem[];
  /** The text of `.rein/config.json` that was judged. */
  readonly config?: string;
  /** Whether this piece is in force. */
  allows(id: string): boolean;
}

export const untrusted: ProjectTrust = { trusted: false, items: [], allows: () => false };

/** Compares what is there with what was trusted. */
export function judgeItems({ items, config }: FoundItems, trusted: TrustedFolder | undefined): ProjectTrust {
  const judged = items.map((item): JudgedItem => {
    const known = trusted && Object.hasOwn(trusted.items, item.id) ? trusted.items[item.id] : undefined;
    return { ...item, state: known === item.hash ? 'trusted' : known === undefined ? 'new' : 'changed' };
  });
  const inForce = new Set(judged.filter(({ state }) => state === 'trusted').map(({ id }) => id));
  return {
    trusted: trusted !== undefined,
    items: judged,
    ...(config !== undefined && { config }),
    allows: (id) => inForce.has(id),
  };
}
