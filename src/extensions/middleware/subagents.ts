/** Delegation: the tool `task` gives a piece of work to a sub-agent with a context of its own. */
import type { AgentDefinition } from '../../protocol/define/agent.ts';
import { inputSchema } from '../../protocol/define/input.ts';
import { defineMiddleware, type MiddlewareHost } from '../../protocol/define/middleware.ts';
import { defineTool } from '../../protocol/define/tool.ts';

/** Agents below the main one: a sub-agent may have sub-agents, those may not. */
const maxDepth = 2;

/** Parts of the plan graph, which nobody calls by hand. */
const graphRoles = ['planner', 'executor', 'reviewer'];

const fork = { name: 'fork', description: 'a copy of you that knows this whole conversation' };

/** The tools `task` and `task_control`; each agent but those of the plan graph can be chosen. */
export default function createSubagents({ agents }: Pick<MiddlewareHost, 'agents'>) {
  const offered = [...agents.values(), fork]
    .filter(({ name }) => !graphRoles.includes(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return defineMiddleware({
    name: 'subagents',
    slot: 'subagents',
    tools: [createTask(offered)],
    async wrapToolCall(call, next, { session }) {
      if (!call.tool.delegate || depthOf(session.agent) < maxDepth) return next(call);
      const text = 'Sub-agents may go no deeper than you are. Do this work yourself.';
      return { status: 'error', content: [{ type: 'text', text }] };
    },
  });
}

function depthOf(agent: string): number {
  return agent.split('/').length - 1;
}

function createTask(offered: readonly Pick<AgentDefinition, 'name' | 'description'>[]) {
  const names = offered.map(({ name }) => name);
  const lines = offered.map(({ name, description }) => `- ${name}: ${description}`);
  return defineTool({
    name: 'task',
    description: `Give a self-contained piece of work to a sub-agent. It sees only the prompt; you see only its report. Tasks of one turn run at the same time. Agents:\n${lines.join('\n')}`,
    input: inputSchema({
      type: 'object',
      properties: {
        agent: { type: 'string', enum: names },
        prompt: { type: 'string', minLength: 1, description: 'all it needs to know: goal, paths, what to report' },
        background: { description: 'go on meanwhile; the result comes as a message', type: 'boolean' },
      },
      required: ['agent', 'prompt'],
    }),
    risk: 'read',
    delegate: ({ agent, prompt, background = false }) => ({ agent, prompt, background, fork: agent === fork.name }),
  });
}
