/** The public test kit. */

export { bindTool, type CalledTool, type CallOptions, callTool } from './call-tool.ts';
export { type ProviderUnderTest, providerSuite } from './provider-suite.ts';
export * from './run-cli.ts';
export * from './script-from-events.ts';
export * from './scripted-provider.ts';
export * from './scripted-server.ts';
export * from './session-rig.ts';
export { storeSuite, type TestDatabase, type TestRunner } from './store-suite.ts';
export * from './temp-home.ts';
export * from './temp-workspace.ts';
export * from './time.ts';
export { pathFields, type ToolSuiteOptions, toolSuite } from './tool-suite.ts';
export type { AnswerTurn, RawTurn, Script, ScriptedCall, ScriptRequest, StatusTurn, Turn } from './turn.ts';
export * from './wires/prefix.ts';
export { type RequestView, sse, type WireName } from './wires/wire.ts';
