/** Keeps long results and long messages out of the history: they go to a file, with both ends and the way to the rest. */

import { estimateTokens } from '../../lib/text/estimate-tokens.ts';
import { keepEnds } from '../../lib/text/truncate.ts';
import {
  type CallResult,
  defineMiddleware,
  type MiddlewareHost,
  type ToolCall,
} from '../../protocol/define/middleware.ts';
import type { ContentPart } from '../../protocol/message.ts';
import { KeptFiles } from './_kept-files.ts';

/** Tokens of a result and of a user's message that may stay, and bytes that are shown of what may not. */
const sizes = {
  default: { result: 20_000, message: 50_000, preview: 4000, read: { lines: 2000, bytes: 50 * 1024 } },
  local: { result: 4000, message: 8000, preview: 1500, read: { lines: 100, bytes: 4096 } },
};

/** Cuts results that are too long for the profile and keeps them whole as files that `read_file` reaches. */
export default function createFiles({ home, config }: Pick<MiddlewareHost, 'home' | 'config'>) {
  const size = sizes[config.profile];
  const files = new KeptFiles(home);

  const shorten = async (
    parts: readonly ContentPart[],
    session: string,
    kind: { name: string; limit: number; what: string },
  ) => {
    const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    // No text takes more than three quarters of a token a character.
    if (text.length * 0.75 <= kind.limit || estimateTokens(text) <= kind.limit) return undefined;
    const file = await files.keep(session, kind.name, text);
    const preview = keepEnds(text, size.preview, (bytes) => `\n[... ${bytes} bytes left out ...]\n`);
    const rest = file
      ? `All of it is in ${file}: read it with read_file (file_path, offset, limit); longer lines are broken there.`
      : 'The rest could not be stored and is lost; ask for less at a time.';
    const note = `[${kind.what} has ${Buffer.byteLength(text)} bytes in ${text.split('\n').length} lines; its beginning and end are shown. ${rest}]`;
    return {
      stored: file !== undefined,
      parts: [
        { type: 'text' as const, text: `${preview}\n\n${note}` },
        ...parts.filter(({ type }) => type === 'image'),
      ],
    };
  };

  const readKept = async ({ input }: ToolCall): Promise<CallResult> => {
    const { file_path, offset = 1, limit } = input as { file_path: string; offset?: number; limit?: number };
    try {
      const lines = Math.min(limit ?? size.read.lines, size.read.lines);
      const text = await files.read(file_path, { offset, limit: lines, maxBytes: size.read.bytes });
      return { status: 'ok', content: [{ type: 'text', text }] };
    } catch {
      return { status: 'error', content: [{ type: 'text', text: `${file_path} is not there any more.` }] };
    }
  };

  return defineMiddleware({
    name: 'files',
    slot: 'files',

    async receive(message, { session }) {
      const kind = { name: 'message', limit: size.message, what: "The user's message" };
      const short = await shorten(message.parts, session.id, kind);
      return short?.stored ? { ...message, parts: short.parts } : message;
    },

    async wrapToolCall(call, next, { session }) {
      // What is read here was in this history, or in the one it was forked from.
      if (call.tool.schema.name === 'read_file' && files.holds(call.input.file_path)) return readKept(call);
      const result = await next(call);
      const kind = { name: call.id, limit: size.result, what: 'The result' };
      const short = await shorten(result.content, session.id, kind);
      return short ? { ...result, content: short.parts } : result;
    },
  });
}
