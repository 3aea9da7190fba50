import { isUtf8 } from 'node:buffer';
import { imageTypeOf } from '../../lib/image-type.ts';
import { inputSchema } from '../../protocol/define/input.ts';
import { defineTool, type ToolOutput, toolError } from '../../protocol/define/tool.ts';
import type { FileInfo, Workspace } from '../../protocol/host.ts';
import { sizeText, withFailures } from './_failures.ts';
import { LineWindow, type WindowLine } from './_line-window.ts';

const headBytes = 8192;
/** Providers take 5 MB of base64. */
const maxImageBytes = 3_750_000;
/** Lines are counted so far beyond the ones shown. */
const maxCountedBytes = 500_000_000;

export default defineTool({
  name: 'read_file',
  description: 'Read a file: text with line numbers, or an image.',
  input: inputSchema({
    type: 'object',
    properties: {
      file_path: { type: 'string' },
      offset: { description: 'first line, from 1', type: 'integer', minimum: 1 },
      limit: { description: 'how many lines', type: 'integer', minimum: 1 },
    },
    required: ['file_path'],
  }),
  risk: 'read',
  idempotent: true,
  execute: ({ file_path, offset = 1, limit }, { workspace, signal }) =>
    withFailures(async () => {
      const head = await workspace.readBytes(file_path, 0, headBytes);
      const info = await workspace.info(file_path);
      const shown = workspace.relative(file_path);
      const image = imageTypeOf(head);
      if (image) return readImage(workspace, file_path, image);
      if (head.includes(0))
        return `${shown} is a binary file: ${sizeText(info.size)}, ${typeOf(head)}. It is not shown.`;
      const window = new LineWindow(
        offset,
        Math.min(limit ?? Infinity, workspace.limits.lines),
        workspace.limits.bytes,
      );
      const counted = await fill(window, workspace.readPieces(file_path, signal));
      workspace.markSeen(file_path, info.version);
      return show({ shown, offset, head, info, window, counted });
    }),
});

async function readImage(workspace: Workspace, path: string, mediaType: string): Promise<ToolOutput> {
  const shown = workspace.relative(path);
  const { size } = await workspace.info(path);
  if (size > maxImageBytes) {
    return toolError(
      `${shown} is an image of ${sizeText(size)}; at most ${sizeText(maxImageBytes)} can be shown. Make it smaller with a command.`,
    );
  }
  const { bytes } = await workspace.readWhole(path, maxImageBytes);
  const data = Buffer.from(bytes);
  if (mediaType === 'image/png' && !(data.includes('IHDR') && data.includes('IEND'))) {
    return toolError(
      `${shown} begins like a PNG image but is damaged or cut off (${sizeText(size)}). It is not shown.`,
    );
  }
  return {
    content: [
      { type: 'text', text: `${shown}: ${mediaType}, ${sizeText(size)}` },
      { type: 'image', mediaType, data: data.toString('base64') },
    ],
  };
}

/** Whether all lines were counted. */
async function fill(window: LineWindow, pieces: AsyncIterable<Uint8Array>): Promise<boolean> {
  let beyond = 0;
  for await (const piece of pieces) {
    window.push(piece);
    if (window.full) beyond += piece.length;
    if (beyond > maxCountedBytes) return false;
  }
  window.end();
  return true;
}

interface Shown {
  readonly shown: string;
  readonly offset: number;
  readonly head: Uint8Array;
  readonly info: FileInfo;
  readonly window: LineWindow;
  readonly counted: boolean;
}

function show({ shown, offset, head, info, window, counted }: Shown): ToolOutput | string {
  const { lines, total } = window;
  if (info.size === 0) return `${shown} is empty (0 lines).`;
  const last = lines.at(-1);
  if (!last) return toolError(`offset ${offset} is past the end of ${shown}, which has ${linesText(total)}.`);
  const notes = [`lines ${lines[0]!.number}-${last.number} of ${counted ? total : `more than ${total}`}`];
  if (last.number < total) notes.push(`go on with offset ${last.number + 1}`);
  const bad = lines.filter(({ bytes, size }) => bytes.length === size && !isUtf8(bytes));
  if (bad.length > 0) notes.push(`${linesText(bad.length)} not UTF-8, shown with \ufffd; edit_file keeps those bytes`);
  if (lines.some(({ crlf }) => crlf)) notes.push('CRLF line endings, kept by edits');
  if (hasBom(head)) notes.push('UTF-8 byte order mark, kept by edits');
  return `${lines.map(showLine).join('\n')}\n[${notes.join('; ')}]`;
}

function showLine({ number, bytes, size }: WindowLine): string {
  const start = number === 1 && hasBom(bytes) ? 3 : 0;
  const text = bytes.toString('utf8', start).replaceAll('\0', '\u2400');
  if (bytes.length === size) return `${number}\t${text}`;
  return `${number}\t${text.replace(/\ufffd$/, '')}… [line cut: it has ${size} bytes]`;
}

function hasBom(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function linesText(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`;
}

const signatures: readonly (readonly [string, string])[] = [
  ['%PDF', 'PDF'],
  ['PK\x03\x04', 'ZIP archive or office document'],
  ['\x1f\x8b', 'gzip'],
  ['\x7fELF', 'ELF program or library'],
  ['\0asm', 'WebAssembly'],
  ['SQLite format 3', 'SQLite database'],
  ['\xff\xfe', 'UTF-16 text'],
  ['\xfe\xff', 'UTF-16 text'],
];

function typeOf(head: Uint8Array): string {
  const start = String.fromCharCode(...head.subarray(0, 16));
  return signatures.find(([signature]) => start.startsWith(signature))?.[1] ?? 'unknown type';
}
