/**
 * Rein with every layer at work: rules, forty skills and memory in the prompt, and a model that keeps a list, loads
 * skills, gives work to sub-agents and background tasks and gets results too long for the history. What a layer should
 * leave behind is looked for, so that none is measured that did nothing.
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { defineTool, z } from 'rein';
import type { Loop, LoopOptions } from './loop.ts';
import { createRein } from './rein.ts';

const longText = Array.from({ length: 4000 }, (_, at) => `line ${at} of a long result`).join('\n');

const long = defineTool({
  name: 'long',
  description: 'Says a lot',
  input: z.object({ line: z.number() }),
  risk: 'read',
  execute: ({ line }) => `${line}\n${longText}`,
});

/** From so many turns on, the model has used everything. */
const wholeRound = 40;

export function createLoop({ baseUrl, model, folder }: LoopOptions): Promise<Loop> {
  furnish(folder);
  const turns = Number(/^turns-(\d+)$/.exec(model)?.[1] ?? 0);
  const seen = new Set<string>();
  return createRein(
    { baseUrl, folder, model: model.replace('turns-', 'layers-') },
    {
      tools: [long],
      onEvent(event) {
        if (event.type === 'prompt') for (const { name } of event.sections) seen.add(name);
        if (event.type === 'todo-update') seen.add('todo');
        if (event.type === 'tool-call-start' && event.child) seen.add(event.background ? 'background' : 'subagents');
        if (event.type !== 'tool-call-end') return;
        const text = event.content[0]?.type === 'text' ? event.content[0].text : '';
        if (text.startsWith('<skill ')) seen.add('use_skill');
        if (text.includes('All of it is in ')) seen.add('files');
      },
      onEnd() {
        const used = turns < wholeRound ? [] : ['todo', 'use_skill', 'files', 'subagents', 'background'];
        const missing = ['project_rules', 'skills', 'agent_memory', ...used].filter((layer) => !seen.has(layer));
        if (missing.length > 0) throw new Error(`these layers did nothing: ${missing.join(', ')}`);
      },
    },
  );
}

/** A home and a trusted workspace with something for each layer. */
function furnish(folder: string): void {
  const [home, cwd] = [`${folder}/home`, `${folder}/workspace`];
  for (const path of [`${home}/skills`, `${home}/memory/repos`, `${cwd}/docs`]) mkdirSync(path, { recursive: true });
  const config = { skills: { mode: 'both' }, compaction: { trigger: 0.85, keep: 0.1 } };
  writeFileSync(`${home}/config.json`, JSON.stringify(config));
  for (let skill = 0; skill < 40; skill++) {
    const head = `name: skill-${skill}\ndescription: Use when thing number ${skill} is asked for: carefully\ntrigger: thing${skill}, work`;
    writeFileSync(`${home}/skills/skill-${skill}.md`, `---\n${head}\n---\n${'Do it step by step.\n'.repeat(20)}`);
  }
  writeFileSync(`${home}/memory/AGENTS.md`, '- Likes short answers.\n'.repeat(10));
  writeFileSync(
    `${home}/memory/repos/workspace.md`,
    `<!-- path: "${cwd}" -->\n\n${'- Tests: `make check`.\n'.repeat(10)}`,
  );
  writeFileSync(`${home}/AGENTS.md`, 'Be exact.\n'.repeat(10));
  writeFileSync(`${cwd}/AGENTS.md`, `Use two spaces. See @docs/style.md\n`);
  writeFileSync(`${cwd}/docs/style.md`, 'Names are words.\n'.repeat(20));
  const { dev, ino } = statSync(cwd, { bigint: true });
  const trust = { folders: { [cwd]: { identity: `${dev}:${ino}`, items: {} } } };
  writeFileSync(`${home}/trust.json`, JSON.stringify(trust), { mode: 0o600 });
}
