/** Anthropic, and servers that speak its Messages API. */
import { defineProvider } from '../../protocol/provider.ts';
import { anthropicHost, createAnthropicCodec } from './_anthropic.ts';
import { createWireProvider } from './_wire.ts';

export default defineProvider({
  name: 'anthropic',
  envPrefix: 'ANTHROPIC',
  defaultModel: 'claude-sonnet-5-5',
  defaultBaseUrl: anthropicHost,
  create(given) {
    const options = { ...given, baseUrl: given.baseUrl ?? anthropicHost };
    return createWireProvider({ name: 'anthropic', codec: createAnthropicCodec(options), options });
  },
});
