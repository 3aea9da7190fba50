/** The `ai` package with its OpenAI-compatible provider. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { echo, type Loop, type LoopOptions, sleep, system } from './loop.ts';

export async function createLoop({ baseUrl, model }: LoopOptions): Promise<Loop> {
  const provider = createOpenAICompatible({ name: 'bench', baseURL: baseUrl, apiKey: 'x', includeUsage: true });
  const tools = Object.fromEntries(
    [echo, sleep].map(({ name, description, parameters, execute }) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters), execute }),
    ]),
  );
  return {
    async run(prompt, onText) {
      const stopWhen = stepCountIs(1000);
      const result = streamText({
        model: provider(model),
        instructions: system,
        prompt,
        tools,
        stopWhen,
        maxRetries: 0,
      });
      let text = '';
      for await (const piece of result.textStream) {
        text += piece;
        onText(piece);
      }
      return text;
    },
  };
}
