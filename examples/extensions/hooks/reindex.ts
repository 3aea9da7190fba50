// An observer: `$REIN_HOME/hooks/reindex.ts`. After each file that was written, the index of the project is made anew in the
// background: no call waits for it, writes in quick succession share one, and the session closes when it is done.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { definePostTool } from 'rein';

let running: Promise<void> | undefined;
let again = false;

export default definePostTool(
  () => {
    again = true;
    running ??= reindex().finally(() => {
      running = undefined;
    });
    return running;
  },
  { name: 'reindex', matcher: 'write_file|edit_file' },
);

async function reindex(): Promise<void> {
  while (again) {
    again = false;
    const files = await readdir(process.cwd(), { recursive: true });
    await writeFile(
      join(process.cwd(), 'index.txt'),
      `${files
        .filter((file) => file !== 'index.txt')
        .sort()
        .join('\n')}\n`,
    );
  }
}
