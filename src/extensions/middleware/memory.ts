/**
 * Memory: what earlier sessions learned ends the prompt, behind the point up to which it is cached; the model writes
 * down what is worth keeping with the file tools. What changed on disk is told at the next run.
 */
import { resolve } from 'node:path';
import { shortHash } from '../../lib/digest.ts';
import {
  type DefinedMiddleware,
  defineMiddleware,
  type MiddlewareHost,
  type ToolCall,
} from '../../protocol/define/middleware.ts';
import { userText } from '../../protocol/message.ts';
import { type MemoryFile, readMemory, renderMemory } from '../../services/memory/memory.ts';
import { repositoryMemoryFile, userMemoryFile, withOwner } from '../../services/memory/repository.ts';

/** Hash of what the model was told, or wrote itself, since its prompt was made, by path. */
interface MemoryState {
  readonly told: Readonly<Record<string, string>>;
}

const howTo = (files: string) =>
  `agent_memory holds what earlier sessions learned. When you learn something that will matter in a later one (a wish or correction of the user's; how this project is built, tested or laid out), write it down before you answer: with edit_file, or with write_file where a file is still empty. ${files} Keep it short, replace what is outdated. Never store secrets, nor what the project's files say anyway.`;
const bothFiles = 'What is about the user goes into the first file, what is about this project into the second.';
const oneFile = 'Write to the file of this project only.';

/** Puts what is remembered behind the cached prompt, as `<agent_memory path>`, and tells of changes at the next run. */
export default function createMemory(host: MiddlewareHost): DefinedMiddleware {
  const pathsOf = (cwd: string) => {
    const own = [userMemoryFile(host.home), repositoryMemoryFile(host.home, cwd)] as const;
    const more = host.memory === undefined || own.includes(resolve(host.memory)) ? [] : [resolve(host.memory)];
    return { repository: own[1], all: [...own, ...more] };
  };
  const filesOf = (cwd: string) => Promise.all(pathsOf(cwd).all.map(readMemory));
  /** What may be written there, as the permission gate will say. */
  const instruction = async (cwd: string, agent: string) => {
    if (agent !== 'main' || host.config.permissions.mode === 'plan') return undefined;
    if (await host.isTrusted(cwd)) return howTo(bothFiles);
    return host.interactive ? howTo(oneFile) : undefined;
  };
  return defineMiddleware<MemoryState>({
    name: 'memory',
    slot: 'memory',
    state: { parse: () => ({ told: {} }) },
    async sections({ cwd, agent }) {
      const all = await filesOf(cwd);
      const words = await instruction(cwd, agent);
      const shown = words === undefined ? all.filter(({ text }) => text !== '') : all;
      const texts = [...shown.map(renderMemory), ...(words === undefined ? [] : [words])];
      return [{ name: 'agent_memory', text: texts.join('\n') }];
    },
    async beforeAgent({ session: { cwd, prompt }, state }) {
      // The prompt of a first run is made after this, and has them.
      if (!prompt) return undefined;
      const shown = prompt.sections.find(({ name }) => name === 'agent_memory')?.text ?? '';
      const isTold = (file: MemoryFile) => (state.told[file.path] ?? hashIn(shown, file)) === hashOf(file);
      const changed = (await filesOf(cwd)).filter((file) => !isTold(file));
      if (changed.length === 0) return undefined;
      const told = { ...state.told, ...Object.fromEntries(changed.map((file) => [file.path, hashOf(file)])) };
      const text = `This file of memory changed since you saw it. It says now:\n${changed.map(renderMemory).join('\n')}`;
      return { state: { told }, append: [userText(`<harness>\n${text}\n</harness>`)] };
    },
    async wrapToolCall(call, next, { session, state }) {
      const path = writtenPath(call, session.cwd);
      if (path === undefined) return next(call);
      const { repository, all } = pathsOf(session.cwd);
      if (!all.includes(path)) return next(call);
      const result = await next(path === repository ? owned(call, session.cwd) : call);
      if (result.status !== 'ok') return result;
      // What the model wrote itself is no news to it.
      const now = hashOf(await readMemory(path));
      const update = { type: 'state-update', name: 'memory', state: { told: { ...state.told, [path]: now } } } as const;
      return { ...result, updates: [...(result.updates ?? []), update] };
    },
  });
}

/** Hash of a file as it stands in the prompt; undefined when it stands there otherwise. */
function hashIn(section: string, file: MemoryFile): string | undefined {
  const rendered = renderMemory(file);
  const isLeftOut = file.text === '' && !section.includes(rendered.slice(0, rendered.indexOf('\n')));
  return isLeftOut || section.includes(rendered) ? hashOf(file) : undefined;
}

function hashOf({ text }: MemoryFile): string {
  return shortHash(text);
}

function writtenPath({ tool, input }: ToolCall, cwd: string): string | undefined {
  const writes = tool.schema.name === 'edit_file' || tool.schema.name === 'write_file';
  return writes && typeof input.file_path === 'string' ? resolve(cwd, input.file_path) : undefined;
}

/** A new file begins with the line that says whose it is. */
function owned(call: ToolCall, cwd: string): ToolCall {
  const { content } = call.input;
  if (call.tool.schema.name !== 'write_file' || typeof content !== 'string') return call;
  const text = withOwner(content, cwd);
  return text === content ? call : call.with({ ...call.input, content: text });
}
