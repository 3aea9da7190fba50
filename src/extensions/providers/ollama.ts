/** Ollama on this machine, by its Chat Completions endpoint. */
import { defineProvider } from '../../protocol/define/provider.ts';
import { createByWire } from './_by-wire.ts';

const defaultBaseUrl = 'http://127.0.0.1:11434/v1';

export default defineProvider({
  name: 'ollama',
  envPrefix: 'OLLAMA',
  defaultModel: 'qwen3',
  defaultBaseUrl,
  keyless: true,
  create: (options) =>
    createByWire(
      'chat',
      'ollama',
      { ...options, baseUrl: options.baseUrl ?? defaultBaseUrl },
      { effort: (effort) => ({ reasoning_effort: effort === 'off' ? 'none' : effort }), maxTokensField: 'max_tokens' },
    ),
});
