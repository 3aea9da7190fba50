/** Ollama on this machine, by its Chat Completions endpoint. */
import { defineProvider } from '../../protocol/provider.ts';
import { createChatCodec } from './_chat.ts';
import { createWireProvider } from './_wire.ts';

const defaultBaseUrl = 'http://127.0.0.1:11434/v1';

export default defineProvider({
  name: 'ollama',
  envPrefix: 'OLLAMA',
  defaultModel: 'qwen3',
  defaultBaseUrl,
  keyless: true,
  create: (options) =>
    createWireProvider({
      name: 'ollama',
      codec: createChatCodec({
        effort: (effort) => ({ reasoning_effort: effort === 'off' ? 'none' : effort }),
        maxTokensField: 'max_tokens',
      }),
      options: { ...options, baseUrl: options.baseUrl ?? defaultBaseUrl },
    }),
});
