import { visibleName } from '../../lib/text/visible.ts';
import { inputSchema } from '../../protocol/define/input.ts';
import { defineTool } from '../../protocol/define/tool.ts';
import type { DirectoryEntry } from '../../protocol/host.ts';
import { sizeText, withFailures } from './_failures.ts';

const maxEntries = 1000;

export default defineTool({
  name: 'ls',
  description: 'List a folder, with kinds and sizes.',
  input: inputSchema({
    type: 'object',
    properties: { path: { description: 'default: the workspace root', type: 'string' } },
  }),
  risk: 'read',
  idempotent: true,
  execute: ({ path = '.' }, { workspace }) =>
    withFailures(async () => {
      const entries = await workspace.list(path);
      const shown = workspace.relative(path);
      if (entries.length === 0) return `${shown} is an empty folder.`;
      const lines = entries.slice(0, maxEntries).map(describe);
      const rest = entries.length - lines.length;
      if (rest > 0) lines.push(`[${rest} more of ${entries.length} entries; use glob to narrow]`);
      return `${shown}:\n${lines.join('\n')}`;
    }),
});

function describe({ name, kind, size, target }: DirectoryEntry): string {
  const shown = visibleName(name);
  switch (kind) {
    case 'directory':
      return `${shown}/`;
    case 'link':
      return `${shown} -> ${visibleName(target ?? '')}`;
    case 'file':
      return `${shown}  ${sizeText(size)}`;
    default:
      return `${shown}  (no regular file)`;
  }
}
