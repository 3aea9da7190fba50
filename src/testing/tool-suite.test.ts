import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../protocol/define/tool.ts';
import { callTool } from './call-tool.ts';
import { createTempWorkspace } from './temp-workspace.ts';
import { toolSuite } from './tool-suite.ts';

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather in a town.',
  input: z.object({ town: z.string() }),
  risk: 'read',
  execute: ({ town }) => `Sunny in ${town}.`,
});

// A plain tool that says what it was told passes as it is.
toolSuite('weather', weather, { describe, it, valid: { town: 'Bern' } });

test('half a character in the input comes out mended, as in a run', async () => {
  await using host = createTempWorkspace({});
  expect(await callTool(weather, host, { town: 'B\ud800' })).toEqual({
    status: 'ok',
    text: 'Sunny in B\ufffd.',
    content: [{ type: 'text', text: 'Sunny in B\ufffd.' }],
  });
});
