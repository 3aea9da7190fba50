/** Opens the store of a home. The database's code is loaded here, not before. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { prepareHome } from '../services/config/home.ts';
import { openStore, type SessionStore, type StoreOptions } from '../services/sessions/store.ts';

/** The sessions of a home, which is made where it is missing. Throws `E_HOME_UNUSABLE`, `E_STORE_*`. */
export async function openHomeStore(home: string, options: StoreOptions): Promise<SessionStore> {
  prepareHome(home);
  const { openSqlite } = await import('../services/sessions/sql-sqlite.ts');
  return openStore(await openSqlite(join(home, 'rein.db')), {
    ...options,
    onDelete: async (ids) => {
      for (const id of ids) await rm(join(home, 'sessions', id), { recursive: true, force: true });
    },
  });
}
