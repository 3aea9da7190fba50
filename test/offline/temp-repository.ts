import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder with these files, by path; removed at the end of the scope (`using`). */
export function createRepository(files: Readonly<Record<string, string>>): { root: string } & Disposable {
  const root = mkdtempSync(join(tmpdir(), 'rein-offline-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}
