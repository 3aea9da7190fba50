import { inputSchema } from '../../protocol/define/input.ts';
import { defineTool } from '../../protocol/define/tool.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { Workspace } from '../../protocol/host.ts';
import { fileKey, refuseMarkers, sizeText, withFailures } from './_failures.ts';

/** How much of an existing file is looked at to see its line endings. */
const sampleBytes = 65_536;
const bom = '\ufeff';

/**
 * An existing file keeps its mode and its byte order mark; its line endings too, when all of them are CRLF and the new
 * content has none. Whether the last line ends is up to the content.
 */
export default defineTool({
  name: 'write_file',
  description: 'Create a file or replace its whole content. Makes folders. Read an existing file first.',
  input: inputSchema({
    type: 'object',
    properties: { file_path: { type: 'string' }, content: { type: 'string' } },
    required: ['file_path', 'content'],
  }),
  risk: 'write',
  queueKey: ({ file_path }, { workspace }) => fileKey(workspace, file_path),
  execute: ({ file_path, content }, { workspace }) =>
    withFailures(async () => {
      const old = await sampleOf(workspace, file_path);
      const refused = refuseMarkers(content, old ?? '');
      if (refused) return refused;
      const bytes = Buffer.from(old === undefined ? content : adapt(content, old));
      await workspace.write(file_path, bytes, 'seen');
      const lines = content === '' ? 0 : content.split('\n').length - (content.endsWith('\n') ? 1 : 0);
      const what = `${lines} ${lines === 1 ? 'line' : 'lines'}, ${sizeText(bytes.length)}`;
      return `${old === undefined ? 'Created' : 'Replaced'} ${workspace.relative(file_path)} (${what}).`;
    }),
});

/** The beginning of the existing file, undefined when there is none. */
async function sampleOf(workspace: Workspace, path: string): Promise<string | undefined> {
  try {
    return Buffer.from(await workspace.readBytes(path, 0, sampleBytes)).toString('utf8');
  } catch (error) {
    if (ReinError.is(error) && error.params.errno === 'ENOENT') return undefined;
    throw error;
  }
}

function adapt(content: string, old: string): string {
  const endings = old.match(/\r?\n/g) ?? [];
  const isCrlf = endings.length > 0 && endings.every((ending) => ending === '\r\n');
  const text = isCrlf && !content.includes('\r') ? content.replaceAll('\n', '\r\n') : content;
  return old.startsWith(bom) && !text.startsWith(bom) ? bom + text : text;
}
