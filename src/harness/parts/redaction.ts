/** What is taken out of texts: the secrets that environment and configuration hold, and what looks like one. */
import type { Config } from '../../protocol/config.ts';
import type { Environment } from '../../services/config/environment.ts';
import { configuredSecrets, secretVariables } from '../../services/redaction/known-secrets.ts';
import { createGuard, createRedactor, createStreamRedactor } from '../../services/redaction/redact.ts';

export interface Redaction {
  /** At ingestion, and for what is shown of errors. */
  redact(text: string): string;
  /** For text that comes in pieces. */
  redactPieces(): { push(piece: string): string; end(): string };
  /** The last check before what is stored and shown. */
  guard<T>(value: T): T;
}

/** The one redactor of a process: knows the values of all configured keys and takes them out of whatever passes. */
export function createRedaction(
  environment: Pick<Environment, 'process' | 'stored'>,
  config: Pick<Config, 'providers' | 'mcpServers' | 'server'> = {},
): Redaction {
  const known = [
    ...secretVariables(environment.process),
    ...secretVariables(environment.stored),
    ...configuredSecrets(config),
  ];
  const redact = createRedactor(known);
  return { redact, redactPieces: () => createStreamRedactor(redact), guard: createGuard(known) };
}
