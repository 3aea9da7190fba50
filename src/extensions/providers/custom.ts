/** Any server that speaks Chat Completions, with or without a key. Its base URL and model come from the user. */
import { defineProvider } from '../../protocol/provider.ts';
import { createChatCodec } from './_chat.ts';
import { createWireProvider } from './_wire.ts';

export default defineProvider({
  name: 'custom',
  envPrefix: 'CUSTOM',
  defaultModel: 'default',
  keyless: true,
  create: (options) => createWireProvider({ name: 'custom', codec: createChatCodec(), options }),
});
