/** Tests the table of one wire's rules through the server: each rule with requests that break it. */
import { expect, test } from 'vitest';
import { startModelServer } from '../scripted-server.ts';
import type { Wire } from './wire.ts';

export interface RuleCases {
  readonly holding: readonly unknown[];
  /** By name of the rule that refuses them. */
  readonly breaking: Readonly<Record<string, readonly unknown[]>>;
  /** The path to send the cases of one rule to, where the path is what it looks at. */
  readonly paths?: Readonly<Record<string, string>>;
}

/** Registers a test for each rule of a wire: bodies it takes, and bodies it refuses. */
export function testRules(wire: Wire, path: string, cases: RuleCases): void {
  test(`${wire.name}: each rule of the table has a case`, () => {
    expect(Object.keys(cases.breaking).toSorted()).toEqual(wire.rules.map((rule) => rule.name).toSorted());
  });

  test.each(cases.holding.map((body, index) => [index, body]))(
    `${wire.name}: request %i holds all rules`,
    async (_index, body) => {
      expect(await send(wire, path, body)).toEqual({ status: 200, problems: [] });
    },
  );

  const broken = Object.entries(cases.breaking).flatMap(([rule, bodies]) =>
    bodies.map((body, at) => ({ rule, at, body })),
  );
  test.each(broken)(`${wire.name}: $rule refuses request $at`, async ({ rule, body }) => {
    expect(await send(wire, cases.paths?.[rule] ?? path, body)).toEqual({
      status: 400,
      problems: [{ rule, message: expect.stringMatching(/./) }],
    });
  });
}

async function send(
  wire: Wire,
  path: string,
  body: unknown,
): Promise<{ status: number; problems: readonly unknown[] }> {
  await using server = await startModelServer({ respond: () => ({ text: 'Hello' }) });
  const url = server.url(wire.name).slice(0, -wire.basePath.length || undefined) + path;
  const response = await fetch(url, { method: 'POST', body: Buffer.isBuffer(body) ? body : JSON.stringify(body) });
  await response.text();
  return { status: response.status, problems: [...server.problems] };
}
