/** The stored head of every request. Rendered once; resume uses the stored bytes. */
import { canonicalJson, shortHash } from '../lib/digest.ts';
import { deepFreeze } from '../lib/freeze.ts';
import type { Middleware } from '../protocol/define/middleware.ts';
import type { PromptSection, ToolSchema } from '../protocol/prompt.ts';
import type { Runtime } from './runtime.ts';

/** Records a `prompt` event when there is none yet, after a summary, and when the tool list changed. */
export async function ensurePrompt(runtime: Runtime): Promise<void> {
  if (runtime.promptChecked && !runtime.state.promptStale) return;
  runtime.promptChecked = true;
  const { state, setup } = runtime;
  const tools = [...setup.tools.values()].map((tool) => tool.schema).sort((a, b) => (a.name < b.name ? -1 : 1));
  const toolsChanged = state.prompt !== undefined && canonicalJson(state.prompt.tools) !== canonicalJson(tools);
  if (state.prompt && !toolsChanged && !state.promptStale) return;
  const kept = state.promptStale ? undefined : state.prompt?.sections;
  const prompt = kept ? { sections: kept, tools } : shared(await renderSections(runtime), tools);
  runtime.record([{ type: 'prompt', ...prompt }]);
}

type Text = Omit<PromptSection, 'hash'>;

interface Prompt {
  readonly sections: readonly PromptSection[];
  readonly tools: readonly ToolSchema[];
}

/** Prompts of this process, by the names of what is in them. */
const shelf = new Map<string, Prompt>();
const maxShelf = 64;

/** A prompt that reads like an earlier one is the same object: what was made of that one is not made again. */
function shared(texts: readonly Text[], tools: readonly ToolSchema[]): Prompt {
  const key = [...texts, ...tools].map(({ name }) => name).join();
  const known = shelf.get(key);
  const isSame =
    known?.sections.length === texts.length &&
    known.tools.length === tools.length &&
    known.sections.every(({ name, text }, at) => name === texts[at]!.name && text === texts[at]!.text) &&
    known.tools.every((tool, at) => tool === tools[at]);
  if (isSame) return known;
  if (shelf.size >= maxShelf) shelf.clear();
  const prompt = deepFreeze({ sections: texts.map((each) => ({ ...each, hash: shortHash(each.text) })), tools });
  shelf.set(key, prompt);
  return prompt;
}

async function renderSections({ setup }: Runtime): Promise<Text[]> {
  const about = { cwd: setup.cwd, agent: setup.definition, model: setup.models[0].info.id };
  const rendered = [await setup.sections()];
  for (const middleware of setup.middleware as readonly unknown[] as readonly Middleware[]) {
    if (middleware.sections) rendered.push(await middleware.sections(about));
  }
  return rendered.flat().filter((section) => section.text.trim() !== '');
}
