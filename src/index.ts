/** The library: what programs import from `rein`. Loads no UI, HTTP, MCP or database code. */
export { z } from 'zod';
export type { ToolName } from './extensions/tools/index.ts';
export { createHarness, Harness } from './harness/create-harness.ts';
export { createProvider, loadConfig, loadProviderConfig, saveConfig } from './harness/doors/library.ts';
export { type GraphRun, HarnessGraph, type HarnessGraphOptions, TokenTracker } from './harness/harness-graph.ts';
export type { Listener } from './harness/listeners.ts';
export type { Flags, HarnessOptions, OpenOptions } from './harness/options.ts';
export type { RefusedCall, RunOutcome } from './harness/outcome.ts';
export type { DriverOptions, PlanOptions } from './harness/parts/drivers.ts';
export type { Registry } from './harness/registry.ts';
export type { RunOptions, Session } from './harness/session.ts';
export type { Config, ConfigFile } from './protocol/config.ts';
export type { AgentDefinition } from './protocol/define/agent.ts';
export * from './protocol/define/command.ts';
export * from './protocol/define/graph.ts';
export * from './protocol/define/hook.ts';
export * from './protocol/define/middleware.ts';
export * from './protocol/define/provider.ts';
export * from './protocol/define/tool.ts';
export * from './protocol/errors.ts';
export * from './protocol/event.ts';
export * from './protocol/host.ts';
export * from './protocol/interrupt.ts';
export * from './protocol/json.ts';
export * from './protocol/message.ts';
export * from './protocol/plan.ts';
export * from './protocol/prompt.ts';
export * from './protocol/request.ts';
export * from './protocol/session.ts';
export * from './protocol/todo.ts';
export * from './protocol/usage.ts';

import './services/i18n/all-languages.ts';

export { type Language, languages, renderError, t } from './services/i18n/translate.ts';
