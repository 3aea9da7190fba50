/** The public test kit. */
export * from './prefix.ts';
export * from './scripted-server.ts';
export type { AnswerTurn, RawTurn, Script, ScriptedCall, ScriptRequest, StatusTurn, Turn } from './turn.ts';
export { type RequestView, sse, type WireName } from './wires/wire.ts';
