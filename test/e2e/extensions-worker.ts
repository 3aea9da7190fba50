/** Runs one prompt with what a home holds, and prints what came of it. */
import { createHarness } from '../../src/harness/create-harness.ts';
import { type ErrorData, ReinError } from '../../src/protocol/errors.ts';
import { contentText } from '../../src/protocol/message.ts';
import { allowAll } from '../../src/testing/session-rig.ts';

const [home, cwd] = process.argv.slice(2);
const warnings: ErrorData[] = [];
const harness = await createHarness({
  home,
  cwd,
  env: {},
  flags: { model: 'parrot' },
  middleware: [allowAll],
  onWarning: (warning) => warnings.push(warning),
});
try {
  const session = await harness.open();
  const { stop, text } = await session.run('go');
  const messages = session.state?.messages ?? [];
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
  const { commands } = await harness.extensions();
  const command = await (await commands.get('wave')?.())?.run({} as never, '');
  await harness.close();
  print({
    warnings: warnings.map(({ code, params }) => [code, String(params.file).split('/').at(-1), params.detail]),
    stop,
    text,
    results: results.map((result) => contentText(result.content)),
    seenByHook: (globalThis as { seenByHook?: string[] }).seenByHook,
    command,
  });
} catch (error) {
  const { code, params } = ReinError.from(error);
  print({ code, params });
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
