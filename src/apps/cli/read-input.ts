/** Reads what the command line names, up to a size: a device or a pipe may never end. */
import { createReadStream } from 'node:fs';
import { ReinError } from '../../protocol/errors.ts';
import { toInputError } from './input-error.ts';

const megabyte = 1024 * 1024;

/** A named file, such as an image or a schema. */
export const maxFileBytes = 32 * megabyte;
/** All of standard input, or one line of it. */
export const maxInputBytes = 128 * megabyte;

/** The bytes of a named file. Throws `E_INPUT_FILE`. */
export async function readInputFile(file: string): Promise<Buffer> {
  try {
    return await readBounded(createReadStream(file), file, maxFileBytes);
  } catch (error) {
    throw toInputError(file, error);
  }
}

/** All bytes of a source. Throws `E_INPUT_FILE` naming `file` once there are more than `maxBytes`. */
export async function readBounded(source: AsyncIterable<Uint8Array>, file: string, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(file, maxBytes);
  }
  return Buffer.concat(chunks);
}

/** What is said of input that goes on beyond a limit. */
export function tooLarge(file: string, maxBytes: number): ReinError {
  return new ReinError('E_INPUT_FILE', { file, detail: `> ${maxBytes / megabyte} MB` });
}
