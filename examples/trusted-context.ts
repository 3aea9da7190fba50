// A tool whose key comes from the host: the model never sees the field, and cannot set it.
import assert from 'node:assert/strict';
import { createHarness, defineTool, z } from 'rein';
import { createScriptedProvider, createTempHome } from 'rein/testing';

const orders: Readonly<Record<string, readonly string[]>> = { alice: ['tea'], bob: ['coffee'] };

const listOrders = defineTool({
  name: 'list_orders',
  description: 'Lists the orders of the customer who is asking.',
  input: z.object({ limit: z.number().int().optional() }),
  context: z.object({ partitionKey: z.string() }),
  risk: 'read',
  execute: ({ limit }, { context }) => (orders[context.partitionKey] ?? []).slice(0, limit).join(', '),
});

await using temp = await createTempHome();
const provider = createScriptedProvider({
  script: [
    // A model that was talked into asking for somebody else's.
    { calls: [{ name: 'list_orders', input: { limit: 5, partitionKey: 'bob' } }] },
    { text: 'Tea.' },
  ],
});
const harness = await createHarness({
  home: temp.home,
  cwd: temp.workspace,
  provider,
  tools: [listOrders],
  context: { partitionKey: 'alice' },
});
const session = await harness.open();
await session.run('What did I order?');
await harness.close();

const shown = provider.requests[0]?.request.tools.find((tool) => tool.name === 'list_orders');
assert.deepEqual(Object.keys((shown?.input.properties ?? {}) as object), ['limit']);
assert.deepEqual(
  provider.requests[1]?.results.map((result) => result.text),
  ['tea'],
);
