import { type Replacement, replaceText } from '../../lib/replace-text.ts';
import { inputSchema } from '../../protocol/define/input.ts';
import { defineTool, toolError } from '../../protocol/define/tool.ts';
import { countRedactionMarkers } from '../../protocol/redaction.ts';
import { fileKey, refuseMarkers, withFailures } from './_failures.ts';

const maxBytes = 10_000_000;
const maxShownLines = 20;

/** Works on bytes: what is no UTF-8 stays as it is, and so do all bytes outside the match. */
export default defineTool({
  name: 'edit_file',
  description: 'Replace a text in a file. old_string must occur once, or set replace_all.',
  input: inputSchema({
    type: 'object',
    properties: {
      file_path: { type: 'string' },
      old_string: { type: 'string' },
      new_string: { type: 'string' },
      replace_all: { type: 'boolean' },
    },
    required: ['file_path', 'old_string', 'new_string'],
  }),
  risk: 'write',
  queueKey: ({ file_path }, { workspace }) => fileKey(workspace, file_path),
  execute: ({ file_path, old_string, new_string, replace_all = false }, { workspace }) =>
    withFailures(async () => {
      if (old_string === '') return toolError('old_string is empty. Quote the text to replace, or use write_file.');
      if (old_string === new_string) return toolError('old_string and new_string are the same: nothing to change.');
      const refused = refuseMarkers(new_string, old_string);
      if (refused) return refused;
      const { bytes, version } = await workspace.readWhole(file_path, maxBytes);
      const shown = workspace.relative(file_path);
      if (bytes.includes(0))
        return toolError(`${shown} is a binary file (${bytes.length} bytes) and cannot be edited.`);
      const result = replaceText(toText(bytes), toBytes(old_string), toBytes(new_string), replace_all);
      if (!result.ok) return toolError(explain(shown, result) + markerNote(old_string));
      await workspace.write(file_path, Buffer.from(result.text, 'latin1'), { version });
      return report(shown, result);
    }),
});

/** One character a byte. */
function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

const levelNotes = {
  exact: '',
  'line-endings': ' The match was not exact: line endings differ; the ones of the file were kept.',
  'trailing-blanks': ' The match was not exact: blanks at line ends differ.',
  indentation: ' The match was not exact: the indentation differs; new lines were indented like the file.',
} as const;

function report(path: string, { level, lines }: Replacement & { ok: true }): string {
  const count = lines.length === 1 ? 'Replaced 1 occurrence' : `Replaced ${lines.length} occurrences`;
  return `${count} in ${path} at ${lineList(lines)}.${levelNotes[level]}`;
}

function explain(path: string, result: Replacement & { ok: false }): string {
  if (result.reason === 'ambiguous') {
    const where = lineList(result.lines);
    return `old_string occurs ${result.lines.length} times in ${path}, at ${where}. Nothing was changed. Quote more lines around the one you mean, or set replace_all.`;
  }
  const near = result.near === undefined ? '' : ` Its first line looks like line ${result.near}, but the text differs.`;
  return `old_string does not occur in ${path}.${near} Nothing was changed. Read the file again and quote it exactly.`;
}

/** Why a text is not found that was read like this. */
function markerNote(text: string): string {
  return countRedactionMarkers(text) === 0
    ? ''
    : ' `[redacted: ...]` is not in the file: a secret stands there that you are not shown. Quote a part without it.';
}

function lineList(lines: readonly number[]): string {
  const shown = lines.slice(0, maxShownLines).join(', ');
  return `${lines.length === 1 ? 'line' : 'lines'} ${shown}${lines.length > maxShownLines ? ', ...' : ''}`;
}
