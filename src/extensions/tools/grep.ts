import { keepStart } from '../../lib/text/truncate.ts';
import { inputSchema } from '../../protocol/define/input.ts';
import { defineTool } from '../../protocol/define/tool.ts';
import type { SearchResult, Workspace } from '../../protocol/host.ts';
import { withFailures } from './_failures.ts';

const maxLines = 250;
const maxFiles = 500;

export default defineTool({
  name: 'grep',
  description: 'Search file contents with a regular expression. Respects .gitignore.',
  input: inputSchema({
    type: 'object',
    properties: {
      pattern: { type: 'string' },
      path: { description: 'file or folder, default: the workspace root', type: 'string' },
      include: { description: 'glob that files must match, such as `*.ts`', type: 'string' },
      output_mode: {
        description: 'default: content (path:line:text)',
        type: 'string',
        enum: ['content', 'files', 'count'],
      },
      ignore_case: { type: 'boolean' },
    },
    required: ['pattern'],
  }),
  risk: 'read',
  idempotent: true,
  execute: ({ pattern, path, include, output_mode = 'content', ignore_case = false }, { workspace, signal }) =>
    withFailures(async () => {
      const request = { pattern, path, include, ignoreCase: ignore_case, signal };
      if (output_mode === 'content')
        return showLines(await workspace.search({ ...request, maxMatches: maxLines }), workspace);
      const { files, stopped, leftOut } = await workspace.count(request);
      const lines = files.map((file) => (output_mode === 'count' ? `${file.path}:${file.lines}` : file.path));
      const rest = lines.length - maxFiles;
      const notes = [
        ...(rest > 0 ? [`[${rest} more files; narrow the pattern, the path or include]`] : []),
        ...(stopped ? [deadlineNote] : []),
        ...sizeNote(leftOut),
      ];
      return [...(lines.length === 0 ? ['No matches.'] : lines.slice(0, maxFiles)), ...notes].join('\n');
    }),
});

const deadlineNote = '[stopped because it took too long, there may be more; narrow the pattern or the path]';

const sizeNote = (leftOut = 0) =>
  leftOut > 0 ? [`[${leftOut} too large to be searched were left out; search them with a command]`] : [];

function showLines({ matches, stopped, leftOut }: SearchResult, { limits }: Workspace): string {
  const text = matches.map(({ path, line, text: found }) => `${path}:${line}:${found}`).join('\n');
  const { text: kept } = keepStart(text, limits.bytes);
  const lines = kept.split('\n');
  if (kept !== text) lines.pop();
  if (kept !== text || stopped === 'limit') {
    lines.push(`[stopped at ${lines.length} matching lines, there are more; narrow the pattern, the path or include]`);
  } else if (stopped) lines.push(deadlineNote);
  const found = lines.filter(Boolean);
  return [...(found.length === 0 ? ['No matches.'] : found), ...sizeNote(leftOut)].join('\n');
}
