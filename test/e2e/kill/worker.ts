// One process of the kill test: opens the session or resumes it, works to the end, and prints what the log holds.
// Usage: node worker.ts <home> <workspace> <base URL>
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { createHarness } from '../../../src/harness/create-harness.ts';
import { defineTool } from '../../../src/protocol/define/tool.ts';
import type { StoredEvent } from '../../../src/protocol/event.ts';
import { parentPrompt } from './script.ts';

const [home, workspace, baseUrl] = process.argv.slice(2) as [string, string, string];
const sessionId = '11111111-2222-4333-8444-555555555555';

const stamp = defineTool({
  name: 'stamp',
  description: 'Stamps the file.',
  input: z.object({ milliseconds: z.number() }),
  risk: 'write',
  async execute({ milliseconds }, { callId }) {
    await setTimeout(milliseconds / 2);
    appendFileSync(join(workspace, 'stamps.txt'), `${callId}\n`);
    await setTimeout(milliseconds / 2);
    return 'stamped';
  },
});

const errand = defineTool({
  name: 'errand',
  description: 'Sends a child.',
  input: z.object({ number: z.number() }),
  risk: 'read',
  delegate: ({ number }) => ({ agent: 'general', prompt: `Do errand ${number}.` }),
});

const harness = await createHarness({
  home,
  cwd: workspace,
  env: { PATH: process.env.PATH, CUSTOM_API_KEY: 'key', CUSTOM_BASE_URL: baseUrl, CUSTOM_MODEL_NAME: 'scripted' },
  flags: { permissionMode: 'bypassPermissions', sandbox: 'external' },
  tools: [stamp, errand],
});
const store = await harness.store();
const known = await store.info(sessionId);
const session = await harness.open(known ? { resume: sessionId } : { id: sessionId });
const ended = (await Array.fromAsync(session.events())).some((event) => event.type === 'run-end');
if (!ended) await (session.hasOpenRun ? session.resume() : session.run(parentPrompt, { id: 'the-prompt' }));

const logs = await readTree(sessionId);
await session.close();
await harness.close();
process.stdout.write(JSON.stringify(logs));

/** The log of a session, and of its children, by id. */
async function readTree(id: string): Promise<Record<string, StoredEvent[]>> {
  const events = await Array.fromAsync(store.read(id));
  const children = events.flatMap((event) => (event.type === 'tool-call-start' && event.child ? [event.child] : []));
  const trees = await Promise.all(children.map(readTree));
  return Object.assign({ [id]: events }, ...trees);
}
