import { inputSchema } from '../../protocol/define/input.ts';
import { defineTool, type ToolOutput } from '../../protocol/define/tool.ts';
import type { CommandResult } from '../../protocol/host.ts';
import { withFailures } from './_failures.ts';

/** A command that ran is an `ok` result whatever its exit code; only one that was cut off or never ran is not. */
export default defineTool({
  name: 'bash',
  description: 'Run a bash command in the workspace. No input is possible; each call is a new shell.',
  input: inputSchema({
    type: 'object',
    properties: {
      command: { type: 'string', minLength: 1 },
      timeout_seconds: { description: 'default 120, at most 600', type: 'number', exclusiveMinimum: 0 },
      network: { description: 'a sandboxed command has no network unless this is set and approved', type: 'boolean' },
      background: { description: 'start it and go on; see bash_control', type: 'boolean' },
    },
    required: ['command'],
  }),
  risk: 'execute',
  execute: ({ command, timeout_seconds, network, background = false }, { commands, signal, emit }) =>
    withFailures(async () => {
      if (background) {
        const { id } = await commands.start(command, { network });
        return `Started in the background with id ${id}. Look at it with bash_control.`;
      }
      return report(await commands.run({ command, network, timeoutSeconds: timeout_seconds, signal, onOutput: emit }));
    }),
});

function report({ exit, signal, timedOut, timeoutSeconds, aborted, output, notes }: CommandResult): ToolOutput {
  const text = [output.trimEnd(), ...notes.map((note) => `[${note}]`)].filter((part) => part !== '').join('\n');
  const withNote = (note: string) => (text ? `${text}\n[${note}]` : `[${note}]`);
  if (aborted) return { content: withNote('aborted'), status: 'cancelled' };
  if (timedOut) {
    const note = `timed out after ${timeoutSeconds} s; it was ended with everything it had started`;
    return { content: withNote(note), status: 'error' };
  }
  if (exit === 0) return { content: text || '[no output]' };
  return { content: withNote(exit === null ? `ended by signal ${signal ?? 'unknown'}` : `exit code ${exit}`) };
}
