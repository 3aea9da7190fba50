// A policy hook: `$REIN_HOME/hooks/no-secrets.ts`. Looks at each call of two tools before it may run.
import { defineHook } from 'rein';

export default defineHook({
  name: 'no-secrets',
  event: 'PreToolUse',
  matcher: 'write_file|edit_file',
  run({ input }) {
    if (!/BEGIN [A-Z ]*PRIVATE KEY/.test(JSON.stringify(input))) return undefined;
    return { decision: 'deny', reason: 'Private keys do not belong into files of this project.' };
  },
});
