/** A harness of its own: runs one command in the sandbox and prints what comes. Arguments: folder, command, and hosts as JSON. */
import { chooseSandbox } from '../choose-sandbox.ts';
import { createCommands } from '../commands.ts';

const [root = '', command = '', domains] = process.argv.slice(2);
const limits = { outputBytes: 10_000, timeoutSeconds: 60, maxTimeoutSeconds: 60 };
const { driver } = await chooseSandbox('required', {
  ...{ roots: [root], userHome: '/nowhere', secrets: [], visible: [], aside: `${root}/../aside`, path: '/usr/bin:/bin' },
  ...(domains && { domains: JSON.parse(domains) }),
});
const commands = createCommands({ cwd: root, environment: { PATH: '/usr/bin:/bin' }, limits, driver });
const { signal } = new AbortController();
const result = await commands.run({ command, signal, onOutput: (text) => process.stdout.write(text) });
await commands.close();
process.exitCode = result.exit ?? 1;
