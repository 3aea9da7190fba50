/** A process that runs one session of a home until its run has ended: the other side of two-processes.test.ts. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { createHarness } from '../../src/harness/create-harness.ts';
import { defineMiddleware } from '../../src/protocol/define/middleware.ts';
import { defineTool } from '../../src/protocol/define/tool.ts';
import { createScriptedProvider } from '../../src/testing/scripted-provider.ts';
import { waitFor } from '../../src/testing/time.ts';

const [home = '', cwd = ''] = process.argv.slice(2);

const slow = defineTool({
  name: 'slow',
  description: 'Waits for a file or an abort.',
  input: z.object({ file: z.string() }),
  risk: 'execute',
  execute: async ({ file }, { signal }) => {
    await waitFor(() => signal.aborted || existsSync(join(cwd, file)), { timeoutMs: 60_000 });
    return signal.aborted ? 'was told to stop' : 'found it';
  },
});

/** The first call of the run is asked about. */
const gate = defineMiddleware({
  name: 'approval',
  slot: 'approval',
  wrapToolCall: (call, next) => {
    const isFree = call.input.file !== 'asked' || call.approved !== undefined;
    return isFree ? next(call) : call.suspend({ kind: 'approval', warnings: [], rule: 'slow' });
  },
});

const provider = createScriptedProvider({
  script: [
    { calls: [{ name: 'slow', input: { file: 'asked' } }] },
    { calls: [{ name: 'slow', input: { file: 'never' } }] },
  ],
});

const harness = await createHarness({
  home,
  cwd,
  env: {},
  provider,
  tools: [slow],
  middleware: [gate],
  interactive: true,
});
const session = await harness.open({ id: 'shared' });
process.stdout.write('open\n');
const { stop } = await session.run('go');
const said = provider.requests.at(-1)?.userTexts.at(-1);
process.stdout.write(`${JSON.stringify({ stop, said, requests: provider.requests.length })}\n`);
await harness.close();
