/** OpenAI, by its Responses wire. Servers that are only compatible are `custom`. */
import { defineProvider } from '../../protocol/provider.ts';
import { createResponsesCodec } from './_responses.ts';
import { createWireProvider } from './_wire.ts';

const defaultBaseUrl = 'https://api.openai.com/v1';

export default defineProvider({
  name: 'openai',
  envPrefix: 'OPENAI',
  defaultModel: 'gpt-5.1',
  defaultBaseUrl,
  create: (options) =>
    createWireProvider({
      name: 'openai',
      codec: createResponsesCodec(),
      options: { ...options, baseUrl: options.baseUrl ?? defaultBaseUrl },
    }),
});
