/** The stored head of every request. Rendered once; resume uses the stored bytes. */
import { canonicalJson, shortHash } from '../lib/digest.ts';
import type { Middleware } from '../protocol/define/middleware.ts';
import type { PromptSection } from '../protocol/prompt.ts';
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
  const sections = kept ?? (await renderSections(runtime));
  runtime.record([{ type: 'prompt', sections, tools }]);
}

async function renderSections({ setup }: Runtime): Promise<PromptSection[]> {
  const about = { cwd: setup.cwd, agent: setup.definition, model: setup.models[0].info.id };
  const rendered = [await setup.sections()];
  for (const middleware of setup.middleware as readonly unknown[] as readonly Middleware[]) {
    if (middleware.sections) rendered.push(await middleware.sections(about));
  }
  return rendered
    .flat()
    .filter((section) => section.text.trim() !== '')
    .map((section) => ({ ...section, hash: shortHash(section.text) }));
}
