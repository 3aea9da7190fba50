// Prints the commands of README.md that must work as they stand, one a line: the lines of every fenced block directly
// after a line `<!-- checked -->`. CI runs them on a clean clone, so that the page cannot drift.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The commands in the text of a README, in order; comments and blank lines are left out. */
export function readmeCommands(text: string): string[] {
  const blocks = text.matchAll(/^<!-- checked -->\n```\w*\n([\s\S]*?)^```$/gm);
  const lines = [...blocks].flatMap(([, body = '']) => body.split('\n'));
  return lines.map((line) => line.trim()).filter((line) => line && !line.startsWith('#'));
}

if (import.meta.main) {
  const path = resolve(import.meta.dirname, '../README.md');
  const commands = existsSync(path) ? readmeCommands(readFileSync(path, 'utf8')) : [];
  for (const command of commands) console.log(command);
  if (commands.length === 0) {
    console.error('README.md holds no command to check: put "<!-- checked -->" above a block of shell commands.');
    process.exitCode = 1;
  }
}
