/** Google's Gemini models. */
import { defineProvider } from '../../protocol/provider.ts';
import { geminiCodec } from './_gemini.ts';
import { createWireProvider } from './_wire.ts';

const defaultBaseUrl = 'https://generativelanguage.googleapis.com';

export default defineProvider({
  name: 'gemini',
  envPrefix: 'GEMINI',
  defaultModel: 'gemini-3.8-flash',
  defaultBaseUrl,
  create(given) {
    const options = { ...given, baseUrl: given.baseUrl ?? defaultBaseUrl };
    return createWireProvider({ name: 'gemini', codec: geminiCodec, options });
  },
});
