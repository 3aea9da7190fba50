/** Anthropic, and servers that speak its Messages API. */
import { defineProvider } from '../../protocol/define/provider.ts';
import { createByWire } from './_by-wire.ts';

const defaultBaseUrl = 'https://api.anthropic.com';

export default defineProvider({
  name: 'anthropic',
  envPrefix: 'ANTHROPIC',
  defaultModel: 'claude-sonnet-5-5',
  defaultBaseUrl,
  create: (options) =>
    createByWire('anthropic', 'anthropic', { ...options, baseUrl: options.baseUrl ?? defaultBaseUrl }),
});
