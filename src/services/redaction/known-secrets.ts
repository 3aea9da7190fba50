/** The secrets that are known by value: of the environment, of the user's stored variables, of the configuration. */

type Values = Readonly<Record<string, string | undefined>>;

/** Variables whose values are secrets, by their names. */
export function secretVariables(variables: Values): [name: string, value: string][] {
  return Object.entries(variables).filter((entry): entry is [string, string] => {
    const [name, value] = entry;
    return value !== undefined && /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH)$/i.test(name);
  });
}

interface Entries {
  readonly headers?: Values;
  readonly env?: Values;
}

/** What a configuration holds that can carry a secret. */
export interface ConfiguredSecrets {
  readonly providers?: Readonly<Record<string, Entries>>;
  readonly mcpServers?: Readonly<Record<string, Entries>>;
  readonly server?: { readonly keys?: readonly { readonly name: string; readonly key: string }[] };
}

/** Values of headers and variables in a configuration, and keys of the server. Of `Bearer x` also `x` alone. */
export function configuredSecrets({ providers, mcpServers, server }: ConfiguredSecrets): [string, string][] {
  const entries = [...Object.values(providers ?? {}), ...Object.values(mcpServers ?? {})];
  const headers = entries
    .flatMap(({ headers = {} }) => Object.entries(headers))
    .filter(([name]) => isSecretHeader(name));
  const variables = entries.flatMap(({ env = {} }) => secretVariables(env));
  const keys = (server?.keys ?? []).map(({ name, key }): [string, string] => [`key ${name}`, key]);
  const values = [...headers, ...variables, ...keys].filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return values.flatMap(([name, value]) => {
    const [, bare] = /^\w+ +(\S+)$/.exec(value) ?? [];
    return bare === undefined
      ? [[name, value]]
      : ([
          [name, value],
          [name, bare],
        ] as [string, string][]);
  });
}

function isSecretHeader(name: string): boolean {
  return /auth|key|token|secret|cookie|password/i.test(name);
}
