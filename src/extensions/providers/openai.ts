/** OpenAI, by its Responses wire. Servers that are only compatible are `custom`. */
import { defineProvider } from '../../protocol/define/provider.ts';
import { createByWire } from './_by-wire.ts';

const defaultBaseUrl = 'https://api.openai.com/v1';

export default defineProvider({
  name: 'openai',
  envPrefix: 'OPENAI',
  defaultModel: 'gpt-5.1',
  defaultBaseUrl,
  create: (options) => createByWire('responses', 'openai', { ...options, baseUrl: options.baseUrl ?? defaultBaseUrl }),
});
