/** Calls a tool the way the engine does: parse what the model sent, then run. */
import { bindTool } from '../harness/parts/bind-tool.ts';
import type { DefinedTool, ToolContext } from '../protocol/define/tool.ts';
import type { ToolHost } from '../protocol/host.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import { type ContentPart, contentText, type ResultStatus } from '../protocol/message.ts';

export { bindTool };

export interface CalledTool {
  readonly status: ResultStatus;
  /** All text of the result. */
  readonly text: string;
  readonly content: readonly ContentPart[];
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** What the host vouches for. */
  readonly context?: Readonly<Record<string, Json>>;
  readonly callId?: string;
  emit?(text: string): void;
}

/** Input that does not fit the schema is an error result, like in a run; what the tool throws is thrown. */
export async function callTool(
  tool: DefinedTool,
  host: ToolHost,
  input: unknown,
  options: CallOptions = {},
): Promise<CalledTool> {
  const bound = bindTool(tool, host);
  const parsed = bound.parse(input as JsonObject);
  if (!parsed.ok) return toCalled('error', [{ type: 'text', text: parsed.error }]);
  if (!bound.execute) throw new Error(`${bound.schema.name} has no execute`);
  const { signal = new AbortController().signal, context = {}, callId = 'call-1', emit = () => {} } = options;
  const call: ToolContext = { ...host, signal, context, callId, session: 'session-1', emit };
  const output = await bound.execute(parsed.input, call);
  if (typeof output === 'string') return toCalled('ok', [{ type: 'text', text: output }]);
  const { content, status = 'ok' } = output;
  return toCalled(status, typeof content === 'string' ? [{ type: 'text', text: content }] : content);
}

/** Half a surrogate pair, which a tool may have got with its input, is mended: in a run the engine does it for every tool. */
function toCalled(status: ResultStatus, parts: readonly ContentPart[]): CalledTool {
  const content = parts.map((part) => (part.type === 'text' ? { ...part, text: part.text.toWellFormed() } : part));
  return { status, content, text: contentText(content) };
}
