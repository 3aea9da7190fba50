// Rein inside a program of your own: run a prompt, listen, go on in the same session.
import assert from 'node:assert/strict';
import { createHarness } from 'rein';
import { createScriptedProvider, createTempHome } from 'rein/testing';

// Stands in for a real model here. Without `provider`, the configured one is used.
const provider = createScriptedProvider({
  script: [
    { calls: [{ name: 'read_file', input: { file_path: 'menu.txt' } }] },
    { text: ['There is tea ', 'and coffee.'] },
    { text: 'You are welcome.' },
  ],
});

await using temp = await createTempHome({ 'menu.txt': 'tea\ncoffee\n' });
const harness = await createHarness({ home: temp.home, cwd: temp.workspace, provider });
const session = await harness.open();

const seen: string[] = [];
session.listen((event) => {
  if (event.type === 'text-delta') seen.push(event.text);
  if (event.type === 'tool-call-end') seen.push(`[${event.status}]`);
});

const outcome = await session.run('What is on the menu?');
assert.equal(outcome.stop, 'completed');
assert.equal(outcome.text, 'There is tea and coffee.');
assert.deepEqual(seen, ['[ok]', 'There is tea ', 'and coffee.']);

// The next run sees everything before it, also after a restart: the log is in `home`.
await session.close();
const again = await harness.open({ resume: session.id });
assert.equal((await again.run('Thank you.')).text, 'You are welcome.');
await harness.close();
