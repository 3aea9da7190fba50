/** Providers by the wire they speak. A wire is loaded when a provider that speaks it is made. */

import type { Provider, ProviderOptions } from '../../protocol/define/provider.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { ChatDialect } from './_chat.ts';
import type { Codec } from './_codec.ts';

const wires = ['chat', 'responses', 'anthropic', 'gemini'] as const;
type Wire = (typeof wires)[number];

const codecs: Readonly<Record<Wire, (options: ProviderOptions, dialect?: ChatDialect) => Promise<Codec>>> = {
  chat: async (_options, dialect) => (await import('./_chat.ts')).createChatCodec(dialect),
  responses: async () => (await import('./_responses.ts')).createResponsesCodec(),
  anthropic: async (options) => (await import('./_anthropic.ts')).createAnthropicCodec(options),
  gemini: async () => (await import('./_gemini.ts')).geminiCodec,
};

/**
 * Makes a provider named `name`. `options.baseUrl` must be set (for `chat` and `responses` it ends in `/v1`
 * or what stands for it, for `anthropic` and `gemini` it is the host). `dialect` is where a Chat Completions server
 * differs. Throws `E_CONFIG_INVALID` for a wire or a base URL that is none.
 */
export async function createByWire(
  wire: string,
  name: string,
  options: ProviderOptions,
  dialect?: ChatDialect,
): Promise<Provider> {
  if (!isWire(wire)) {
    throw new ReinError('E_CONFIG_INVALID', {
      file: 'config.json',
      key: `providers.${name}.wire`,
      detail: `one of ${wires.join(', ')} is needed`,
    });
  }
  const [{ createWireProvider }, codec] = await Promise.all([import('./_wire.ts'), codecs[wire](options, dialect)]);
  return createWireProvider({ name, codec, options });
}

function isWire(wire: string): wire is Wire {
  return (wires as readonly string[]).includes(wire);
}
