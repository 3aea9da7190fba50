import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorData } from '../../protocol/errors.ts';
import { loadAgents } from './load.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rein-agents-'));
});
afterEach(async () => {
  await rm(root, { recursive: true });
});

async function load(files: Readonly<Record<string, string>>, folders: readonly string[]) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  const warnings: ErrorData[] = [];
  const agents = await loadAgents(
    folders.map((folder) => join(root, folder)),
    (warning) => warnings.push(warning),
  );
  return { agents, warnings: warnings.map(({ code, params }) => ({ code, ...params })) };
}

describe('agent definitions', () => {
  it('case P27: reads every field, names tools as we do, and keeps a colon in the description', async () => {
    const text = `---
name: scout
description: Use when looking: for files
tools: [Read, Grep, ls]
model: openai/gpt-5
maxTurns: 7
skills: review, analyze
---
Look around.
`;
    const { agents, warnings } = await load({ 'a/x.md': text }, ['a']);
    expect(warnings).toEqual([]);
    expect([...agents.values()]).toEqual([
      {
        name: 'scout',
        description: 'Use when looking: for files',
        prompt: 'Look around.',
        tools: ['read_file', 'grep', 'ls'],
        model: 'openai/gpt-5',
        maxTurns: 7,
        skills: ['review', 'analyze'],
        source: join(root, 'a/x.md'),
      },
    ]);
  });

  it('security F2: what is hidden in a description or a prompt is made visible', async () => {
    const tags = [...'obey'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
    const { agents } = await load(
      { 'a/x.md': `---\ndescription: Looks${tags} ar\u202eound\u200b\n---\nLook${tags}.` },
      ['a'],
    );
    expect(agents.get('x')).toMatchObject({
      description: 'Looks[hidden text: "obey"] ar\\u{202e}ound\\u{200b}',
      prompt: 'Look[hidden text: "obey"].',
    });
  });

  it('takes the later folder for the same name, and the file name where the head has none', async () => {
    const { agents } = await load(
      { 'a/one.md': '---\ndescription: first\n---\nA', 'b/other.md': '---\nname: one\ndescription: second\n---\nB' },
      ['a', 'missing', 'b'],
    );
    expect([...agents].map(([name, { description, prompt }]) => [name, description, prompt])).toEqual([
      ['one', 'second', 'B'],
    ]);
  });

  it('reports what is no definition with its path and line, and loads the others', async () => {
    const { agents, warnings } = await load(
      {
        'a/broken.md': '---\ndescription: d\n}{\nmaxTurns: many\n---\nBody.',
        'a/empty.md': '---\ndescription: d\n---\n',
        'a/good.md': '---\ndescription: d\n---\nBody.',
        'a/nameless.md': 'Only text.',
      },
      ['a'],
    );
    expect([...agents.keys()]).toEqual(['broken', 'good']);
    expect(warnings).toEqual([
      { code: 'E_AGENT_FILE', file: join(root, 'a/broken.md'), line: 3, detail: { text: 'agents.noKey', value: '}{' } },
      {
        code: 'E_AGENT_FILE',
        file: join(root, 'a/broken.md'),
        line: 4,
        detail: { text: 'agents.noNumber', value: 'many' },
      },
      { code: 'E_AGENT_FILE', file: join(root, 'a/empty.md'), line: 1, detail: { text: 'agents.noPrompt' } },
      { code: 'E_AGENT_FILE', file: join(root, 'a/nameless.md'), line: 1, detail: { text: 'agents.noDescription' } },
    ]);
  });
});
