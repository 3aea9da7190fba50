/** What every tool must hold, whatever it does. In a test file: `toolSuite('ls', ls, { describe, it })`. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { bindTool } from '../harness/parts/bind-tool.ts';
import type { DefinedTool } from '../protocol/define/tool.ts';
import type { JsonObject } from '../protocol/json.ts';
import { type CalledTool, callTool } from './call-tool.ts';
import type { TestRunner } from './store-suite.ts';
import { createTempWorkspace, secretText, type TempWorkspace } from './temp-workspace.ts';

export interface ToolSuiteOptions extends TestRunner {
  /** An input that works in a workspace with `file.txt` (`text` and a line break) in it. */
  readonly valid?: JsonObject;
}

const statuses = ['ok', 'error', 'denied', 'interrupted', 'cancelled'];

/** Names of the fields of a tool's input that take a path. */
export function pathFields(tool: DefinedTool): string[] {
  return fieldsOf(tool).filter((name) => /(^|_)(path|paths|file|files|folder|cwd|dir|directory)$/.test(name));
}

/** Registers the cases for one tool. */
export function toolSuite(name: string, tool: DefinedTool, { describe, it, valid }: ToolSuiteOptions): void {
  describe(`${name} holds what every tool holds`, () => {
    it('has a legal name, a short description and an object schema in JSON Schema draft 7', async () =>
      checkSchema(tool));
    it('answers garbage without a throw and in good time (security L6)', () => checkGarbage(tool));
    if (pathFields(tool).length > 0) {
      it('reaches nothing outside the workspace (security A1, A5)', () => checkPaths(tool, valid));
    }
    if (valid) it('works, and ends when it is aborted', () => checkAbort(tool, valid));
  });
}

function checkSchema(tool: DefinedTool): void {
  const schema = schemaOf(tool);
  assert.match(tool.name, /^[a-z][a-z0-9_]{0,63}$/);
  assert.ok(tool.description.length > 0 && tool.description.length <= 400, 'a description of 1 to 400 characters');
  assert.equal(schema.type, 'object');
  assert.equal(schema.$schema, undefined);
  assert.deepEqual(JSON.parse(JSON.stringify(schema)), schema);
  for (const field of requiredOf(tool))
    assert.ok(fieldsOf(tool).includes(field), `${field} is required but not described`);
  assert.equal([tool.execute, tool.ask, tool.delegate].filter(Boolean).length, 1, 'one of execute, ask and delegate');
}

async function checkGarbage(tool: DefinedTool): Promise<void> {
  await using host = createTempWorkspace({ 'file.txt': 'text\n' });
  for (const input of garbage(tool)) {
    const began = performance.now();
    const outcome = await outcomeOf(tool, host, input);
    assert.ok(performance.now() - began < 5000, 'takes at most 5 seconds');
    if (outcome) assertUsable(outcome);
  }
}

async function checkPaths(tool: DefinedTool, valid: JsonObject | undefined): Promise<void> {
  await using host = createTempWorkspace({ 'file.txt': 'text\n' });
  symlinkSync(host.outside, host.path('link'));
  for (const field of pathFields(tool)) {
    for (const path of pathsOutside(host)) {
      const { status, text } = await callTool(tool, host, { ...filled(tool), ...valid, [field]: path });
      assert.equal(status, 'error', `${field}: ${path}`);
      assert.ok(text.includes('outside the workspace'), text);
      assert.ok(!text.includes(secretText), text);
    }
  }
  assert.deepEqual(readdirSync(host.outside), ['secret.txt']);
  assert.equal(readFileSync(join(host.outside, 'secret.txt'), 'utf8'), secretText);
}

async function checkAbort(tool: DefinedTool, valid: JsonObject): Promise<void> {
  await using host = createTempWorkspace({ 'file.txt': 'text\n' });
  const outcome = await callTool(tool, host, valid);
  assertUsable(outcome);
  assert.equal(outcome.status, 'ok', outcome.text);
  const began = performance.now();
  try {
    assertUsable(await callTool(tool, host, valid, { signal: AbortSignal.abort() }));
  } catch (error) {
    assert.equal((error as Error).name, 'AbortError');
  }
  assert.ok(performance.now() - began < 2000, 'ends within 2 seconds');
}

function schemaOf(tool: DefinedTool): JsonObject {
  return bindTool(tool, {} as never).schema.input;
}

/** Undefined for a tool that runs nothing itself. */
async function outcomeOf(tool: DefinedTool, host: TempWorkspace, input: unknown): Promise<CalledTool | undefined> {
  const bound = bindTool(tool, host);
  if (!bound.execute) {
    const parsed = bound.parse(input as JsonObject);
    if (parsed.ok) bound.ask?.(parsed.input) ?? bound.delegate?.(parsed.input);
    return undefined;
  }
  return callTool(tool, host, input);
}

function assertUsable({ status, content, text }: CalledTool): void {
  assert.ok(statuses.includes(status), status);
  assert.notEqual(text.trim(), '');
  for (const part of content) assert.ok(part.type === 'text' || part.type === 'image');
}

function garbage(tool: DefinedTool): unknown[] {
  const all = (value: unknown) => Object.fromEntries(fieldsOf(tool).map((field) => [field, value]));
  const huge = 'x'.repeat(50_000_000);
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = { a: deep };
  const plain: unknown[] = [null, undefined, 7, 'text', true, [], {}, { __proto__: null, constructor: 1 }];
  return [
    ...plain,
    ...([null, -1, 1e308, [], {}, '', '\0', '../'.repeat(5000), '\ud800', huge, deep] as unknown[]).map(all),
    deep,
  ];
}

function pathsOutside({ root, outside }: TempWorkspace): string[] {
  const secret = join(outside, 'secret.txt');
  const name = outside.slice(outside.lastIndexOf('/') + 1);
  return [
    '..',
    '../x',
    `../${name}/secret.txt`,
    secret,
    `${root}/../${name}/secret.txt`,
    `sub/../../${name}/secret.txt`,
    'link/secret.txt',
    'link/new.txt',
    '/etc/passwd',
  ];
}

/** Texts for the required fields, so that only the path can be wrong. */
function filled(tool: DefinedTool): JsonObject {
  return Object.fromEntries(requiredOf(tool).map((name, index) => [name, `text ${index}`]));
}

function fieldsOf(tool: DefinedTool): string[] {
  return Object.keys((schemaOf(tool).properties ?? {}) as JsonObject);
}

function requiredOf(tool: DefinedTool): readonly string[] {
  return (schemaOf(tool).required ?? []) as string[];
}
