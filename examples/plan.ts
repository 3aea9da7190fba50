// Plan, carry out, review: a task with a check that proves it, and what it took.
import assert from 'node:assert/strict';
import { HarnessGraph } from 'rein';
import { createScriptedProvider, createTempHome } from 'rein/testing';

await using temp = await createTempHome();

const plan = {
  task_goal: 'a greeting in hello.txt',
  task_type: 'writing',
  assumptions: [],
  risks: [],
  success_criteria: ['hello.txt greets'],
  steps: [
    {
      id: 'step_1',
      description: 'Write a greeting into hello.txt',
      required_tool: 'write_file',
      expected_output: 'hello.txt',
      risk_level: 'low',
    },
  ],
  requires_user_confirmation: false,
  checks: [{ criterion: 'hello.txt greets', file_matches: { path: 'hello.txt', pattern: '^Hello' } }],
};
const report = { status: 'success', artifacts_created: ['hello.txt'], result_summary: 'hello.txt is written.' };
const review = { verdict: 'pass', score: 1, issues: [], next_action: 'finalize' };

// Stands in for a real model here. `provider: 'anthropic'`, or none at all, uses a configured one.
const provider = createScriptedProvider({
  script: [
    { text: JSON.stringify(plan) },
    { calls: [{ name: 'write_file', input: { file_path: 'hello.txt', content: 'Hello.\n' } }] },
    { text: JSON.stringify(report) },
    { text: JSON.stringify(review) },
  ],
});

const status: string[] = [];
const graph = new HarnessGraph({
  provider,
  maxRetries: 3,
  onStatus: (agent, how) => status.push(`${agent}: ${how}`),
  home: temp.home,
  cwd: temp.workspace,
  flags: { permissionMode: 'acceptEdits' },
});
const state = await graph.run({
  userRequest: 'Greet me in hello.txt.',
  constraints: { forbidden_tools: ['bash'], max_tokens: 100_000 },
  threadId: 'greeting',
});

assert.equal(state.verification, 'verified');
assert.equal(state.final_output, 'hello.txt is written.');
assert.deepEqual(state.checks, [{ criterion: 'hello.txt greets', ok: true, output: 'hello.txt:1: Hello.' }]);
assert.equal(state.actor_outputs[0]?.tool_calls[0]?.tool_name, 'write_file');
assert.equal(status[0], 'planner: start');
assert.ok(graph.tokenTracker.total > 0);
