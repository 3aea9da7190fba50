// One process of the test that kills the layers around a run: opens the session or resumes it, works to the end, and
// prints what the logs hold. Usage: node layers-worker.ts <home> <workspace> <base URL>
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { createHarness } from '../../../src/harness/create-harness.ts';
import { defineTool } from '../../../src/protocol/define/tool.ts';

const [home, workspace, baseUrl] = process.argv.slice(2) as [string, string, string];
const sessionId = '11111111-2222-4333-8444-666666666666';

const stamp = defineTool({
  name: 'stamp',
  description: 'Stamps the file.',
  input: z.object({ text: z.string() }),
  risk: 'write',
  execute({ text }, { callId }) {
    appendFileSync(join(workspace, 'stamps.txt'), `${callId}\n`);
    return `stamped ${text}`;
  },
});

const harness = await createHarness({
  home,
  cwd: workspace,
  env: { PATH: process.env.PATH, CUSTOM_API_KEY: 'key', CUSTOM_BASE_URL: baseUrl, CUSTOM_MODEL_NAME: 'm-1' },
  flags: { permissionMode: 'bypassPermissions', sandbox: 'external' },
  tools: [stamp],
});
const store = await harness.store();
const session = await harness.open((await store.info(sessionId)) ? { resume: sessionId } : { id: sessionId });
const outcome = await (session.hasOpenRun ? session.resume() : session.run('the original task', { id: 'the-prompt' }));
const events = await Array.fromAsync(session.events());
const children = await store.listChildren(sessionId);
await session.close();
await harness.close();
process.stdout.write(JSON.stringify({ outcome, events, children: children.map(({ id }) => id) }));
