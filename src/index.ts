/** The library: what programs import from `rein`. Loads no UI, HTTP, MCP or database code. */
export { z } from 'zod';
export type { ToolName } from './extensions/tools/index.ts';
export { createHarness, Harness } from './harness/create-harness.ts';
export type { DriverOptions, PlanOptions } from './harness/drivers.ts';
export { type GraphRun, HarnessGraph, type HarnessGraphOptions, TokenTracker } from './harness/harness-graph.ts';
export { createProvider, loadConfig, loadProviderConfig, saveConfig } from './harness/library.ts';
export type { Flags, HarnessOptions, OpenOptions } from './harness/options.ts';
export type { RefusedCall, RunOutcome } from './harness/outcome.ts';
export type { Registry } from './harness/registry.ts';
export type { Listener, RunOptions, Session } from './harness/session.ts';
export type { AgentDefinition } from './protocol/agent.ts';
export * from './protocol/command.ts';
export type { Config, ConfigFile } from './protocol/config.ts';
export * from './protocol/errors.ts';
export * from './protocol/event.ts';
export * from './protocol/graph.ts';
export * from './protocol/hook.ts';
export * from './protocol/host.ts';
export * from './protocol/interrupt.ts';
export * from './protocol/json.ts';
export * from './protocol/message.ts';
export * from './protocol/middleware.ts';
export * from './protocol/plan.ts';
export * from './protocol/prompt.ts';
export * from './protocol/provider.ts';
export * from './protocol/request.ts';
export * from './protocol/session.ts';
export * from './protocol/todo.ts';
export * from './protocol/tool.ts';
export * from './protocol/usage.ts';

import './services/i18n/all-languages.ts';

export { type Language, languages, renderError, t } from './services/i18n/translate.ts';
