/**
 * Rules of user and project. They stand in the prompt; here is what comes later: those that changed on disk, told at
 * the next run, and those of a folder below, told when files there are touched.
 */
import { dirname, relative, resolve, sep } from 'node:path';
import { shortHash } from '../../lib/digest.ts';
import {
  type DefinedMiddleware,
  defineMiddleware,
  type MiddlewareHost,
  type SessionView,
} from '../../protocol/define/middleware.ts';
import { type Message, toolCalls, userText } from '../../protocol/message.ts';
import { loadFolderRules, loadProjectRules } from '../../services/prompt/project-rules.ts';

/** Hash of what the model was told since its prompt was made. */
interface RulesState {
  readonly told?: string;
}

/** Tells the model of project rules that changed since its prompt was made, and of those of folders it works in. */
export default function createRules(host: MiddlewareHost): DefinedMiddleware {
  return defineMiddleware<RulesState>({
    name: 'rules',
    // Its messages stand with those of memory, which is text of the same kind.
    slot: 'memory',
    state: { parse: () => ({}) },
    async beforeAgent({ session: { cwd, prompt }, state }) {
      // The prompt of a first run is made after this, and has them.
      if (!prompt) return undefined;
      const rules = await loadProjectRules(cwd, host);
      const told = shortHash(rules?.text ?? '');
      const section = prompt.sections.find(({ name }) => name === 'project_rules');
      if (told === (state.told ?? section?.hash ?? shortHash(''))) return undefined;
      const text = rules
        ? `The project's rules changed. They say now:\n${rules.text}`
        : 'The project has no rules any more.';
      return { state: { told }, append: [userText(`<harness>\n${text}\n</harness>`)] };
    },
    async beforeModel({ session }) {
      const folders = newFolders(session);
      if (folders.length === 0) return undefined;
      const rules = await Promise.all(folders.map((folder) => loadFolderRules(session.cwd, folder, host)));
      const texts = rules.filter((text) => text !== undefined);
      return texts.length > 0 ? { append: [userText(texts.join('\n'))] } : undefined;
    },
  });
}

/** Folders that were looked at, by history: a new one begins at opening and with each compaction. */
const looked = new WeakMap<readonly Message[], Set<string>>();

/** Folders below the working folder, outermost first, in which the last turn touched files for the first time. */
function newFolders({ messages, cwd }: SessionView): string[] {
  const known = looked.get(messages) ?? new Set(messages.flatMap(toldFolders));
  looked.set(messages, known);
  const turn = messages.findLast((message) => message.role === 'assistant');
  const paths = turn ? toolCalls(turn).map(({ input }) => input.file_path) : [];
  const fresh: string[] = [];
  for (const path of paths) {
    if (typeof path !== 'string') continue;
    for (const folder of foldersOf(cwd, path)) {
      if (known.has(folder)) continue;
      known.add(folder);
      fresh.push(folder);
    }
  }
  return fresh;
}

/** Folders deeper than this are not asked for rules: a path is the model's word, and each folder costs look-ups. */
const maxDepth = 50;

/** `a`, `a/b` for a file `a/b/c`; none for a file outside or in the working folder itself. */
function foldersOf(cwd: string, path: string): string[] {
  const inside = relative(cwd, dirname(resolve(cwd, path)));
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`)) return [];
  const names = inside.split(sep).slice(0, maxDepth);
  return names.map((_, index) => names.slice(0, index + 1).join(sep));
}

const source = /^<project_rules source="([^"]*)">$/gm;

function toldFolders(message: Message): string[] {
  if (message.role !== 'user') return [];
  return message.parts.flatMap((part) =>
    part.type === 'text' ? [...part.text.matchAll(source)].map(([, path]) => dirname(path!)) : [],
  );
}
