/** Providers that a config defines: a name of the user's own for a server that speaks one of the four wires. */
import { ReinError } from '../../protocol/errors.ts';
import type { ModelInfo, Provider, ProviderOptions } from '../../protocol/provider.ts';
import type { Codec } from './_codec.ts';
import { createWireProvider } from './_wire.ts';

const wires = ['chat', 'responses', 'anthropic', 'gemini'] as const;
type Wire = (typeof wires)[number];

const codecs: Readonly<Record<Wire, (options: ProviderOptions) => Promise<Codec>>> = {
  chat: async () => (await import('./_chat.ts')).createChatCodec(),
  responses: async () => (await import('./_responses.ts')).createResponsesCodec(),
  anthropic: async (options) => (await import('./_anthropic.ts')).createAnthropicCodec(options),
  gemini: async () => (await import('./_gemini.ts')).geminiCodec,
};

/**
 * Makes a provider named `name`. `options.baseUrl` must be set (for `chat` and `responses` it ends in `/v1` or what
 * stands for it, for `anthropic` and `gemini` it is the host). Loads one wire only.
 * Throws `E_CONFIG_INVALID` for a wire or a base URL that is none.
 */
export async function createByWire(
  wire: string,
  name: string,
  options: ProviderOptions,
  models?: readonly ModelInfo[],
): Promise<Provider> {
  if (!isWire(wire)) {
    throw new ReinError('E_CONFIG_INVALID', {
      key: `providers.${name}.wire`,
      detail: `one of ${wires.join(', ')} is needed`,
    });
  }
  return createWireProvider({ name, codec: await codecs[wire](options), options, models });
}

function isWire(wire: string): wire is Wire {
  return (wires as readonly string[]).includes(wire);
}
