/** Google's Gemini models. */
import { defineProvider } from '../../protocol/define/provider.ts';
import { createByWire } from './_by-wire.ts';

const defaultBaseUrl = 'https://generativelanguage.googleapis.com';

export default defineProvider({
  name: 'gemini',
  envPrefix: 'GEMINI',
  defaultModel: 'gemini-3.8-flash',
  defaultBaseUrl,
  create: (options) => createByWire('gemini', 'gemini', { ...options, baseUrl: options.baseUrl ?? defaultBaseUrl }),
});
