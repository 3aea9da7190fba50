/** Prompts as lines of JSON on standard input: `{"type":"user","message":{"role":"user","content":…}}`. */

import { imageTypeOf } from '../../../lib/image-type.ts';
import { isObject } from '../../../lib/is-object.ts';
import { ReinError } from '../../../protocol/errors.ts';
import type { ContentPart } from '../../../protocol/message.ts';
import { maxInputBytes, tooLarge } from '../read-input.ts';

/** The prompt of each line, as lines arrive. Blank lines are passed over. Throws `E_INPUT_FORMAT` naming the line, `E_INPUT_FILE`. */
export async function* readPromptLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<ContentPart[]> {
  let number = 0;
  for await (const line of splitLines(source)) {
    number += 1;
    if (line.trim() !== '') yield toPrompt(line, number);
  }
}

/** Lines end at a line feed and nowhere else: JSON may hold all other line breaks of Unicode. */
async function* splitLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  let length = 0;
  for await (const chunk of source) {
    // Only the new piece is searched, so that a long line costs its length once.
    const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n');
    begun.push(first);
    length += first.length;
    if (length > maxInputBytes) throw tooLarge('-', maxInputBytes);
    for (const next of rest) {
      yield begun.join('');
      begun = [next];
      length = next.length;
    }
  }
  yield begun.join('') + decoder.decode();
}

function toPrompt(line: string, number: number): ContentPart[] {
  const wrong = (text: string) => new ReinError('E_INPUT_FORMAT', { line: number, detail: { text, line: number } });
  const value = parse(line);
  if (!isObject(value)) throw wrong('cli.input.noObject');
  if (value.type !== 'user' || !isObject(value.message)) throw wrong('cli.input.noUser');
  const { content } = value.message;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  const parts = Array.isArray(content) ? content.map(toPart) : [];
  if (parts.length === 0 || parts.includes(undefined)) throw wrong('cli.input.badContent');
  return parts as ContentPart[];
}

function toPart(block: unknown): ContentPart | undefined {
  if (!isObject(block)) return undefined;
  if (block.type === 'text' && typeof block.text === 'string') return { type: 'text', text: block.text };
  const { source } = block;
  if (block.type !== 'image' || !isObject(source) || typeof source.data !== 'string') return undefined;
  const mediaType = imageTypeOf(Buffer.from(source.data.slice(0, 32), 'base64'));
  return mediaType === undefined ? undefined : { type: 'image', mediaType, data: source.data };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
