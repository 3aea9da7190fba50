/** `@earendil-works/pi-agent-core` on the Chat Completions wire of `pi-ai`. */
import { Agent } from '@earendil-works/pi-agent-core';
import { streamSimple } from '@earendil-works/pi-ai/api/openai-completions';
import { echo, type Loop, type LoopOptions, sleep, system } from './loop.ts';

const tools = [echo, sleep].map(({ name, description, parameters, execute }) => ({
  name,
  label: name,
  description,
  parameters,
  execute: async (_id: string, input: { text: string; ms: number }) => {
    return { content: [{ type: 'text', text: await execute(input) }], details: {} };
  },
}));

export async function createLoop({ baseUrl, model: id }: LoopOptions): Promise<Loop> {
  const model = {
    id,
    name: id,
    api: 'openai-completions',
    provider: 'bench',
    baseUrl,
    reasoning: false,
    input: ['text'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 2_000_000,
    maxTokens: 8192,
  };
  return {
    async run(prompt, onText) {
      const initialState = { systemPrompt: system, model, tools };
      const agent = new Agent({ initialState, streamFn: streamSimple, getApiKey: () => 'x' });
      let text = '';
      agent.subscribe(({ type, assistantMessageEvent: event }) => {
        if (type !== 'message_update' || event?.type !== 'text_delta') return;
        text += event.delta;
        onText(event.delta);
      });
      await agent.prompt(prompt);
      if (agent.state.errorMessage) throw new Error(agent.state.errorMessage);
      return text;
    },
  };
}
