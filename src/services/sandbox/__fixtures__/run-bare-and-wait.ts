/** A harness of its own: starts one command without a sandbox, in the background, and waits. Arguments: folder, command. */
import { createCommands } from '../commands.ts';

const [cwd = '', command = ''] = process.argv.slice(2);
const limits = { outputBytes: 10_000, timeoutSeconds: 60, maxTimeoutSeconds: 60 };
const commands = createCommands({ cwd, environment: { PATH: '/usr/bin:/bin' }, limits });
await commands.start(command);
process.stdout.write('started');
setInterval(() => {}, 1000);
