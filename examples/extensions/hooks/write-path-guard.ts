// A policy hook: `$REIN_HOME/hooks/write-path-guard.ts`. Files may be written below `src` and `docs` alone; for any other
// path the call does not run, and what is returned here is its result.
import { isAbsolute, relative, resolve } from 'node:path';
import { defineHook } from 'rein';

const open = ['src', 'docs'];

export default defineHook({
  name: 'write-path-guard',
  event: 'PreToolUse',
  matcher: 'write_file|edit_file',
  run({ input }, { cwd }) {
    const path = relative(cwd, resolve(cwd, String(input.file_path)));
    const isOpen = !isAbsolute(path) && open.includes(path.split('/')[0]!);
    return isOpen ? undefined : { error: `only ${open.join(' and ')} may be written`, file_path: path };
  },
});
