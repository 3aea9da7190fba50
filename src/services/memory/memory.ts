/** What is remembered across sessions, as text for the prompt. */
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { frame } from '../../lib/text/frame.ts';
import { keepStart } from '../../lib/text/truncate.ts';

const maxBytes = 32 * 1024;

export interface MemoryFile {
  readonly path: string;
  /** Without comments; empty when there is no file or it says nothing. */
  readonly text: string;
}

/** Reads a Markdown file of memory. Never throws, and waits for nothing that is no regular file. */
export async function readMemory(path: string): Promise<MemoryFile> {
  const text = isFile(path) ? await readFile(path, 'utf8').catch(() => '') : '';
  return { path, text: text.replace(/<!--[\s\S]*?-->/g, '').trim() };
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}

/** The file in its frame; one that is empty says so. */
export function renderMemory({ path, text }: MemoryFile): string {
  const { text: shown, dropped } = keepStart(text, maxBytes);
  const note = dropped > 0 ? `\n[cut: ${dropped} more bytes are in the file; shorten it]` : '';
  return frame('agent_memory', { path }, shown === '' ? '(empty)' : shown + note);
}
