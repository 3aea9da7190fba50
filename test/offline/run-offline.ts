/** A small loop: the offline model with the real tools over a folder; nothing else of the engine. */

import offline from '../../src/extensions/providers/offline.ts';
import glob from '../../src/extensions/tools/glob.ts';
import grep from '../../src/extensions/tools/grep.ts';
import ls from '../../src/extensions/tools/ls.ts';
import readFile from '../../src/extensions/tools/read-file.ts';
import type { DefinedTool } from '../../src/protocol/define/tool.ts';
import { type Message, type ToolCallPart, type ToolResult, toolCalls, userText } from '../../src/protocol/message.ts';
import { createRequest } from '../../src/protocol/request.ts';
import { findRipgrep } from '../../src/services/workspace/find-ripgrep.ts';
import { createWorkspace } from '../../src/services/workspace/workspace.ts';
import { bindTool, callTool } from '../../src/testing/call-tool.ts';

export interface OfflineRun {
  readonly text: string;
  readonly turns: number;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly messages: readonly Message[];
}

export interface RunOptions {
  readonly history?: readonly Message[];
  /** Names of the tools that are there; all four when absent. */
  readonly tools?: readonly string[];
  /** Tools whose calls are refused. */
  readonly denied?: readonly string[];
  /** The language of the person. */
  readonly language?: string;
}

/** Runs one prompt to its answer. Throws when the model does not come to an end within 10 turns. */
export async function runOffline(root: string, prompt: string, options: RunOptions = {}): Promise<OfflineRun> {
  const workspace = createWorkspace(root, {
    limits: { lines: 2000, bytes: 50_000 },
    ripgrep: findRipgrep(process.env.PATH),
  });
  const host = { workspace, commands: undefined as never };
  const known: readonly DefinedTool[] = [ls, glob, grep, readFile];
  const tools = known.filter(({ name }) => options.tools?.includes(name) ?? true);
  const messages: Message[] = [...(options.history ?? []), userText(prompt)];
  const calls: { name: string; input: unknown }[] = [];
  const provider = await offline.create({ language: options.language });
  const { signal } = new AbortController();
  for (let turn = 1; turn <= 10; turn++) {
    const schemas = tools.map((tool) => bindTool(tool, host).schema);
    const request = createRequest({ model: 'rules', session: 's', sections: [], tools: schemas, messages });
    const parts = [];
    for await (const event of provider.stream(request, signal)) if (event.type === 'part') parts.push(event.part);
    const answer = { role: 'assistant', parts, model: 'offline/rules' } as const;
    messages.push(answer);
    const wanted = toolCalls(answer);
    if (wanted.length === 0)
      return { text: parts.map((part) => ('text' in part ? part.text : '')).join(''), turns: turn, calls, messages };
    calls.push(...wanted.map(({ name, input }) => ({ name, input })));
    messages.push({ role: 'tool', results: await Promise.all(wanted.map((call) => execute(call))) });
  }
  throw new Error('the offline model did not come to an end');

  async function execute({ id, name, input }: ToolCallPart): Promise<ToolResult> {
    const refusal = (status: ToolResult['status'], text: string): ToolResult => {
      return { callId: id, name, status, content: [{ type: 'text', text }] };
    };
    if (options.denied?.includes(name)) return refusal('denied', 'Refused by a rule.');
    const tool = tools.find((one) => one.name === name);
    if (!tool) return refusal('error', 'No such tool.');
    const { status, content } = await callTool(tool, host, input, { signal, callId: id });
    return { callId: id, name, status, content };
  }
}
