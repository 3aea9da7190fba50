/** What a run is asked: the prompt, standard input, images. */
import { fstatSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { imageTypeOf } from '../../../lib/image-type.ts';
import { ReinError } from '../../../protocol/errors.ts';
import type { ContentPart, ImagePart } from '../../../protocol/message.ts';
import type { Cli } from '../cli.ts';
import { maxInputBytes, readBounded, readInputFile } from '../read-input.ts';

/** How long a pipe that came with a prompt may stay silent before the run goes on without it. */
const patienceMs = 3000;

/**
 * The prompt of this call of the program, in parts. Throws `E_INPUT_EMPTY`, `E_INPUT_FILE`, `E_INPUT_IMAGE`.
 */
export async function readPrompt(cli: Cli): Promise<ContentPart[]> {
  const { print = '-', images } = cli.options;
  const pictures = await Promise.all(images.map((path) => readImage(resolve(cli.folder(), path))));
  const text = print === '-' ? await readAll() : withContext(print, await readPipe(cli));
  if (text.trim() === '' && pictures.length === 0) throw new ReinError('E_INPUT_EMPTY');
  return text.trim() === '' ? pictures : [{ type: 'text', text }, ...pictures];
}

function withContext(prompt: string, context: string): string {
  return context.trim() === '' ? prompt : `${prompt}\n\n<stdin>\n${context.replace(/\n$/, '')}\n</stdin>`;
}

/** All of standard input as text, without a byte order mark. Throws `E_INPUT_FILE`. */
export async function readAll(): Promise<string> {
  const bytes = await readBounded(process.stdin, '-', maxInputBytes);
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}

/** What is piped in besides the prompt. Whoever starts the program may have left the pipe open without a word. */
async function readPipe(cli: Cli): Promise<string> {
  if (!hasPipe()) return '';
  const { stdin } = process;
  const silence = Promise.withResolvers<'silent'>();
  const timer = setTimeout(() => silence.resolve('silent'), patienceMs);
  const first = new Promise<'speaks'>((done) => {
    for (const sign of ['readable', 'end', 'error'] as const) stdin.once(sign, () => done('speaks'));
  });
  const heard = await Promise.race([first, silence.promise]);
  clearTimeout(timer);
  if (heard === 'speaks') return readAll();
  stdin.destroy();
  cli.err.line(cli.t('cli.stdinSilent'));
  return '';
}

function hasPipe(): boolean {
  try {
    const info = fstatSync(0);
    return info.isFIFO() || info.isFile() || info.isSocket();
  } catch {
    return false;
  }
}

/** An image file as a part; what it is, its first bytes say. Throws `E_INPUT_FILE`, `E_INPUT_IMAGE`. */
async function readImage(file: string): Promise<ImagePart> {
  const bytes = await readInputFile(file);
  const mediaType = imageTypeOf(bytes);
  if (mediaType === undefined) {
    const detail = { text: bytes.length === 0 ? 'cli.image.empty' : 'cli.image.unknown' };
    throw new ReinError('E_INPUT_IMAGE', { file: basename(file), detail });
  }
  return { type: 'image', mediaType, data: bytes.toString('base64') };
}
