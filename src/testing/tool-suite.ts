/** What every tool must hold, whatever it does. Register it in a test file: `toolSuite('ls', ls)`. */
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bindTool } from '../harness/bind-tool.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { DefinedTool } from '../protocol/tool.ts';
import { type CalledTool, callTool } from './call-tool.ts';
import { createTempWorkspace, secretText, type TempWorkspace } from './temp-workspace.ts';

export interface ToolSuiteOptions {
  /** An input that works in a workspace with `file.txt` in it. */
  readonly valid?: JsonObject;
}

const results = ['ok', 'error', 'denied', 'interrupted', 'cancelled'];

/** Names of the fields of a tool's input that take a path. */
export function pathFields(tool: DefinedTool): string[] {
  const { properties } = schemaOf(tool);
  return Object.keys((properties ?? {}) as JsonObject).filter((name) =>
    /(^|_)(path|paths|file|folder|cwd|dir)$/.test(name),
  );
}

export function toolSuite(name: string, tool: DefinedTool, { valid }: ToolSuiteOptions = {}): void {
  describe(`${name} holds what every tool holds`, () => {
    it('has a legal name, a short description and an object schema in JSON Schema draft 7', () => {
      const schema = schemaOf(tool);
      expect(tool.name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
      expect(tool.description.length).toBeGreaterThan(0);
      expect(tool.description.length).toBeLessThanOrEqual(400);
      expect(schema.type).toBe('object');
      expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
      expect(Object.keys((schema.properties ?? {}) as JsonObject)).toEqual(
        expect.arrayContaining([...((schema.required ?? []) as string[])]),
      );
      expect(Object.keys(schema)).not.toContain('$schema');
      expect([tool.execute, tool.ask, tool.delegate].filter(Boolean)).toHaveLength(1);
    });

    it('answers garbage without a throw and in good time (security L6)', async () => {
      await using host = createTempWorkspace({ 'file.txt': 'text\n' });
      for (const input of garbage(tool)) {
        const began = performance.now();
        const outcome = await outcomeOf(tool, host, input);
        expect(performance.now() - began).toBeLessThan(5000);
        if (outcome) expectWellFormed(outcome);
      }
    });

    if (pathFields(tool).length > 0)
      it('reaches nothing outside the workspace (security A1, A5)', async () => {
        await using host = createTempWorkspace({ 'file.txt': 'text\n' });
        const link = host.path('link');
        symlinkSync(host.outside, link);
        for (const field of pathFields(tool)) {
          for (const path of pathsOutside(host)) {
            const outcome = await callTool(tool, host, { ...filled(tool), ...valid, [field]: path });
            expect(outcome).toMatchObject({ status: 'error', text: expect.stringContaining('outside the workspace') });
            expect(outcome.text).not.toContain(secretText);
          }
        }
        expect(readdirSync(host.outside)).toEqual(['secret.txt']);
        expect(readFileSync(join(host.outside, 'secret.txt'), 'utf8')).toBe(secretText);
      });

    if (valid)
      it('works, and ends when it is aborted', async () => {
        await using host = createTempWorkspace({ 'file.txt': 'text\n' });
        const outcome = await callTool(tool, host, valid);
        expectWellFormed(outcome);
        expect(outcome.status).toBe('ok');
        writeFileSync(host.path('file.txt'), 'text\n');
        const began = performance.now();
        const aborted = callTool(tool, host, valid, { signal: AbortSignal.abort() });
        await aborted.then(expectWellFormed, (error: Error) => expect(error.name).toBe('AbortError'));
        expect(performance.now() - began).toBeLessThan(2000);
      });
  });
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

function expectWellFormed({ status, content, text }: CalledTool): void {
  expect(results).toContain(status);
  expect(text.trim()).not.toBe('');
  expect(text.isWellFormed()).toBe(true);
  for (const part of content) expect(['text', 'image']).toContain(part.type);
}

function garbage(tool: DefinedTool): unknown[] {
  const fields = Object.keys((schemaOf(tool).properties ?? {}) as JsonObject);
  const all = (value: unknown) => Object.fromEntries(fields.map((field) => [field, value]));
  const huge = 'x'.repeat(50_000_000);
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = { a: deep };
  const plain = [null, undefined, 7, 'text', true, [], {}, { __proto__: null, constructor: 1 }];
  return [...plain, ...[null, -1, 1e308, [], {}, '', '\0', '../'.repeat(5000), '\ud800', huge, deep].map(all), deep];
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
  const { required } = schemaOf(tool);
  return Object.fromEntries(((required ?? []) as string[]).map((name, index) => [name, `text ${index}`]));
}
