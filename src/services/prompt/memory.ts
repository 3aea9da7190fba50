/** What is remembered of a repository, as the last section of the prompt. */
import { readFile } from 'node:fs/promises';
import { shorten } from '../../lib/truncate.ts';
import { visibleText } from '../../lib/visible.ts';

const maxBytes = 32 * 1024;

/** The section of a Markdown file; undefined when the file is missing or says nothing. */
export async function loadMemory(file: string): Promise<{ name: string; text: string } | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text.trim() === '') return undefined;
  // The text must not be able to close the frame it stands in.
  const quoted = shorten(visibleText(text.trim()).replaceAll('</agent_memory', '<\\/agent_memory'), maxBytes);
  return { name: 'agent_memory', text: `<agent_memory path=${JSON.stringify(file)}>\n${quoted}\n</agent_memory>` };
}
