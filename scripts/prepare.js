// Runs after `npm ci` and before packing: builds dist and lets `npx rein` find this checkout. Plain JavaScript, because
// npm may run on an older Node. Where the builder is absent (`npm ci --omit=dev`) there is nothing to do.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const needed = ['node_modules/tsdown', 'node_modules/typescript', 'src', 'scripts/build.ts'];

if (needed.every((path) => existsSync(join(root, path)))) {
  const own = join(root, 'node_modules/node/bin/node');
  const node = existsSync(own) ? own : process.execPath;
  process.exitCode = spawnSync(node, ['scripts/build.ts'], { cwd: root, stdio: 'inherit' }).status ?? 1;

  // npm links the programs of dependencies only; without this, npx would install the package anew on each call.
  if (process.platform !== 'win32') {
    const link = join(root, 'node_modules/.bin/rein');
    rmSync(link, { force: true });
    symlinkSync('../../bin/rein.js', link);
  }
}
