/** The shape of `config.json`. The schema is built on first use: a start without a configuration file does not pay for it. */
import { z } from 'zod';
import { type HookEvent, hookEvents } from './define/hook.ts';
import { efforts } from './request.ts';
import { parseRule } from './rule.ts';

/** Strictest first. */
export const permissionModes = ['plan', 'dontAsk', 'default', 'acceptEdits', 'bypassPermissions'] as const;
export type PermissionMode = (typeof permissionModes)[number];

export const sandboxSettings = ['required', 'preferred', 'external', 'off'] as const;
export type SandboxSetting = (typeof sandboxSettings)[number];

/** The longest time that a timer counts: about 24 days. */
export const maxSeconds = 2_147_483;

/** What a configuration file may say; every key is optional. */
export type ConfigFile = z.infer<ReturnType<typeof buildSchema>>;

let schema: ReturnType<typeof buildSchema> | undefined;

/** The schema of one configuration file. */
export function configSchema(): ReturnType<typeof buildSchema> {
  schema ??= buildSchema();
  return schema;
}

function buildSchema() {
  const count = z.int().min(1);
  const amount = z.number().positive();
  const seconds = z.number().positive().max(maxSeconds);
  const texts = z.record(z.string(), z.string());
  const rules = z.array(z.string().refine((text) => parseRule(text) !== undefined, { params: { problem: 'rule' } }));
  const matcher = z.string().refine(isPattern, { params: { problem: 'pattern' } });
  const modelName = z.string().min(1);
  const limit = z.strictObject({
    fraction: z.number().positive().max(1).optional(),
    tokens: count.optional(),
    messages: count.optional(),
  });

  const hook = z.strictObject({
    type: z.literal('command').optional(),
    command: z.string().min(1),
    /** Seconds. */
    timeout: seconds.optional(),
    /** `false`: a failure of this policy hook is only reported. */
    policy: z.boolean().optional(),
  });
  const hookGroups = z.array(z.strictObject({ matcher: matcher.optional(), hooks: z.array(hook) })).optional();
  const hooks = Object.fromEntries(hookEvents.map((event) => [event, hookGroups])) as Record<
    HookEvent,
    typeof hookGroups
  >;

  const mcpServer = z.strictObject({
    type: z.enum(['stdio', 'http', 'sse']).optional(),
    command: z.string().min(1).optional(),
    args: z.array(z.string()).optional(),
    env: texts.optional(),
    cwd: z.string().optional(),
    url: z.string().min(1).optional(),
    headers: texts.optional(),
    timeout: seconds.optional(),
    disabled: z.boolean().optional(),
  });

  return z.strictObject({
    $schema: z.string().optional(),
    lang: z.string().min(1).optional(),
    provider: z.string().min(1).optional(),
    model: modelName.optional(),
    roles: z.record(z.string(), modelName).optional(),
    theme: z.string().min(1).optional(),
    profile: z.enum(['default', 'local']).optional(),
    permissions: z
      .strictObject({
        mode: z.enum(permissionModes).optional(),
        allow: rules.optional(),
        ask: rules.optional(),
        deny: rules.optional(),
      })
      .optional(),
    sandbox: z.enum(sandboxSettings).optional(),
    /** Hosts that sandboxed commands may reach; the user's own word. */
    sandboxDomains: z.array(z.string().min(1)).min(1).optional(),
    limits: z
      .strictObject({
        maxTurns: count.optional(),
        maxRetries: z.int().min(0).optional(),
        maxTokens: count.optional(),
        maxBudgetUsd: amount.optional(),
        timeoutSeconds: seconds.optional(),
        /** How long an approval or a question waits for an answer before it is refused. */
        answerSeconds: seconds.optional(),
      })
      .optional(),
    /** What every plan must meet; the user's own word, so it runs unasked. */
    checks: z
      .array(
        z
          .strictObject({
            criterion: z.string().min(1),
            command: z.string().min(1).optional(),
            file_exists: z.string().min(1).optional(),
            file_matches: z.strictObject({ path: z.string().min(1), pattern: matcher }).optional(),
          })
          .refine(({ criterion, ...ways }) => Object.keys(ways).length === 1, { params: { problem: 'check' } }),
      )
      .optional(),
    compaction: z
      .strictObject({
        /** Share of the context window, or tokens when above 1; or limits: all of one must hold, one of a list. */
        trigger: z.union([amount, limit, z.array(limit).min(1)]).optional(),
        keep: amount.optional(),
        arguments: z
          .strictObject({ trigger: count.optional(), keep: count.optional(), maxLength: count.optional() })
          .optional(),
      })
      .optional(),
    skills: z.strictObject({ mode: z.enum(['index', 'keyword', 'both']).optional() }).optional(),
    hooks: z.strictObject(hooks).optional(),
    mcpServers: z.record(z.string(), mcpServer).optional(),
    providers: z
      .record(
        z.string(),
        z.strictObject({
          wire: z.enum(['chat', 'responses', 'anthropic', 'gemini']).optional(),
          baseUrl: z
            .string()
            .refine(isHttpUrl, { params: { problem: 'url' } })
            .optional(),
          model: modelName.optional(),
          userAgent: z.string().optional(),
          headers: texts.optional(),
        }),
      )
      .optional(),
    models: z
      .record(
        z.string(),
        z.strictObject({
          window: count.optional(),
          maxOutput: count.optional(),
          effort: z.enum(efforts).optional(),
          /** US dollars per million tokens. */
          prices: z
            .strictObject({
              input: z.number().min(0),
              output: z.number().min(0),
              cacheRead: z.number().min(0).optional(),
              cacheWrite: z.number().min(0).optional(),
            })
            .optional(),
        }),
      )
      .optional(),
    store: z.string().min(1).optional(),
    server: z
      .strictObject({
        host: z.string().optional(),
        port: z.int().min(0).max(65535).optional(),
        roots: z.record(z.string(), z.array(z.string())).optional(),
        keys: z
          .array(
            z.strictObject({
              name: z.string().min(1),
              key: z.string().min(1),
              tenant: z.string().optional(),
              user: z.string().optional(),
              context: z.record(z.string(), z.json()).optional(),
            }),
          )
          .optional(),
      })
      .optional(),
  });
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u');
    // A repeated group can take for ever on a short name.
    return !/\)[*+{]/.test(text);
  } catch {
    return false;
  }
}

function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}

/** What holds after all sources are joined: lists are there, limits have their defaults. */
export interface Config
  extends Omit<ConfigFile, '$schema' | 'lang' | 'permissions' | 'limits' | 'skills' | 'profile' | 'sandbox'> {
  readonly lang: string;
  readonly profile: 'default' | 'local';
  readonly permissions: {
    readonly mode: PermissionMode;
    readonly allow: readonly string[];
    readonly ask: readonly string[];
    readonly deny: readonly string[];
  };
  readonly sandbox: SandboxSetting;
  readonly limits: NonNullable<ConfigFile['limits']> & { readonly maxTurns: number; readonly maxRetries: number };
  readonly skills: { readonly mode: 'index' | 'keyword' | 'both' };
}
