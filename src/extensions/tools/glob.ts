import { createGlob } from '../../lib/glob.ts';
import { visibleName } from '../../lib/text/visible.ts';
import { inputSchema } from '../../protocol/define/input.ts';
import { defineTool, toolError } from '../../protocol/define/tool.ts';
import { withFailures } from './_failures.ts';

const maxFiles = 500;
const deadlineMs = 20_000;

export default defineTool({
  name: 'glob',
  description: 'Find files by path pattern such as `src/**/*.ts`. Respects .gitignore.',
  input: inputSchema({
    type: 'object',
    properties: {
      pattern: { type: 'string', description: 'without a slash it matches file names at any depth' },
      path: { description: 'folder to search, default: the workspace root', type: 'string' },
    },
    required: ['pattern'],
  }),
  risk: 'read',
  idempotent: true,
  execute: ({ pattern, path = '.' }, { workspace, signal }) =>
    withFailures(async () => {
      let matches: (path: string) => boolean;
      try {
        matches = createGlob(pattern.includes('/') ? pattern : `**/${pattern}`);
      } catch (error) {
        return toolError(`The pattern cannot be used: ${(error as Error).message}.`);
      }
      const base = workspace.relative(path);
      const prefix = base === '.' ? '' : `${base}/`;
      const found: string[] = [];
      const deadline = AbortSignal.timeout(deadlineMs);
      try {
        for await (const file of workspace.walk(path, AbortSignal.any([signal, deadline]))) {
          if (!matches(file)) continue;
          if (found.length === maxFiles) {
            found.push(`[stopped at ${maxFiles} files, there are more; narrow the pattern or the path]`);
            break;
          }
          found.push(prefix + visibleName(file));
        }
      } catch (error) {
        if (signal.aborted || !deadline.aborted) throw error;
        found.push(`[stopped after ${deadlineMs / 1000} seconds, there may be more; narrow the path]`);
      }
      return found.length === 0 ? `No files match ${pattern}${prefix && ` below ${prefix}`}.` : found.join('\n');
    }),
});
