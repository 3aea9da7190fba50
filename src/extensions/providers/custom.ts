/** Any server that speaks Chat Completions, with or without a key. Its base URL and model come from the user. */
import { defineProvider } from '../../protocol/define/provider.ts';
import { createByWire } from './_by-wire.ts';

export default defineProvider({
  name: 'custom',
  envPrefix: 'CUSTOM',
  defaultModel: 'default',
  keyless: true,
  create: (options) => createByWire('chat', 'custom', options),
});
