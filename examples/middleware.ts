// A middleware of your own around every tool call and every model call, with state that is kept in the session.
import assert from 'node:assert/strict';
import { createHarness, defineMiddleware, userText, z } from 'rein';
import { createScriptedProvider, createTempHome } from 'rein/testing';

const notes = z.object({ reads: z.number().default(0) });

const fewReads = defineMiddleware<z.infer<typeof notes>>({
  name: 'few-reads',
  state: notes,
  /** After each answer: count the reads it asked for. `append` would mean one more turn. */
  afterModel({ message }, { state }) {
    const reads = message.parts.filter((part) => part.type === 'tool-call' && part.name === 'read_file').length;
    return reads > 0 ? { state: { reads: state.reads + reads } } : undefined;
  },
  /** Requests are frozen; `with` adds to the end of this one request and leaves the stored history as it is. */
  async wrapModelCall(request, next, { state }) {
    if (state.reads < 2) return next(request);
    return next(request.with({ extra: [userText('You have read two files. Answer now.')] }));
  },
  /** Changes what the model gets back. */
  async wrapToolCall(call, next) {
    const result = await next(call);
    return call.tool.schema.name === 'read_file' ? { ...result, content: [{ type: 'text', text: 'short' }] } : result;
  },
});

await using temp = await createTempHome({ 'a.txt': 'a long text', 'b.txt': 'another' });
const provider = createScriptedProvider({
  script: [
    { calls: [{ name: 'read_file', input: { file_path: 'a.txt' } }] },
    { calls: [{ name: 'read_file', input: { file_path: 'b.txt' } }] },
    { text: 'Both are short.' },
  ],
});
const harness = await createHarness({ home: temp.home, cwd: temp.workspace, provider, middleware: [fewReads] });
const session = await harness.open();
await session.run('Compare a.txt and b.txt.');
await harness.close();

assert.deepEqual(
  provider.requests.map((request) => request.userTexts.at(-1)),
  ['Compare a.txt and b.txt.', 'Compare a.txt and b.txt.', 'You have read two files. Answer now.'],
);
assert.deepEqual(
  provider.requests[2]?.results.map((result) => result.text),
  ['short', 'short'],
);
