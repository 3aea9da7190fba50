// Approvals as data: the run stops, says what it would do, and goes on with the decision.
import assert from 'node:assert/strict';
import { createHarness, type Interrupt } from 'rein';
import { createScriptedProvider, createTempHome } from 'rein/testing';

await using temp = await createTempHome({ 'notes.txt': 'old\n' });
const provider = createScriptedProvider({
  script: [
    {
      calls: [
        { name: 'write_file', input: { file_path: 'new.txt', content: 'new\n' } },
        { name: 'bash', input: { command: 'rm notes.txt' } },
      ],
    },
    { text: 'I wrote new.txt and left notes.txt alone.' },
  ],
});
const harness = await createHarness({ home: temp.home, cwd: temp.workspace, provider, interactive: true });
const session = await harness.open();

const asked: Interrupt[] = [];
session.listen((event) => {
  if (event.type !== 'interrupt-open') return;
  const { id, digest, call } = event.interrupt;
  asked.push(event.interrupt);
  // A person would decide here. The digest names exactly what was shown; another one is refused.
  void session.answer(
    id,
    call?.tool === 'write_file'
      ? { decision: 'approve', digest }
      : { decision: 'reject', digest, reason: 'Keep the notes.' },
  );
});

const outcome = await session.run('Tidy up.');
await harness.close();

assert.equal(outcome.stop, 'completed');
assert.deepEqual(
  asked.map(({ kind, call }) => [kind, call?.tool, call?.input]),
  [
    ['approval', 'write_file', { file_path: 'new.txt', content: 'new\n' }],
    ['approval', 'bash', { command: 'rm notes.txt' }],
  ],
);
assert.equal(await temp.read('new.txt'), 'new\n');
assert.equal(await temp.read('notes.txt'), 'old\n');
assert.match(provider.requests[1]?.results[1]?.text ?? '', /Keep the notes\./);
