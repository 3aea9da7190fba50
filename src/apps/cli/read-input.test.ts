import { describe, expect, test } from 'vitest';
import { readPromptLines } from './print/input-lines.ts';
import { maxFileBytes, readBounded, readInputFile } from './read-input.ts';

async function* endless(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  while (true) yield piece;
}

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

describe('security L1: input that never ends is refused', () => {
  const spaces = Buffer.alloc(1024 * 1024, ' ');

  test('a device as a file', async () => {
    const refused = { code: 'E_INPUT_FILE', params: { file: '/dev/zero', detail: '> 32 MB' } };
    await expect(readInputFile('/dev/zero')).rejects.toMatchObject(refused);
    expect(maxFileBytes).toBe(32 * 1024 * 1024);
  });

  test('a source', async () => {
    const refused = { code: 'E_INPUT_FILE', params: { file: '-', detail: '> 2 MB' } };
    await expect(readBounded(endless(spaces), '-', 2 * spaces.length)).rejects.toMatchObject(refused);
  });

  test('one line', async () => {
    const refused = { code: 'E_INPUT_FILE', params: { file: '-', detail: '> 128 MB' } };
    await expect(all(readPromptLines(endless(spaces)))).rejects.toMatchObject(refused);
  });
});

test('what is missing or no file is named as the system says it', async () => {
  await expect(readInputFile('/missing/file')).rejects.toMatchObject({ params: { detail: 'ENOENT' } });
  await expect(readInputFile('/')).rejects.toMatchObject({ params: { detail: 'EISDIR' } });
});

describe('lines of prompts', () => {
  const line = (text: string) => JSON.stringify({ type: 'user', message: { role: 'user', content: text } });
  const said = async (chunks: Uint8Array[]) => (await all(readPromptLines(ReadableStream.from(chunks)))).flat();

  test('are whole wherever the bytes were cut', async () => {
    const bytes = Buffer.from(`${line('你好')}\n\n${line('b')}\n${line('c')}`);
    const wanted = ['你好', 'b', 'c'].map((text) => ({ type: 'text', text }));
    for (let size = 1; size < bytes.length; size++) {
      const chunks: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      expect(await said(chunks)).toEqual(wanted);
    }
  });

  test('a long one costs its length once', async () => {
    const long = 'x'.repeat(24 * 1024 * 1024);
    const bytes = Buffer.from(line(long));
    const chunks = Array.from({ length: bytes.length / 4096 + 1 }, (_, at) =>
      bytes.subarray(at * 4096, (at + 1) * 4096),
    );
    expect(await said(chunks)).toEqual([{ type: 'text', text: long }]);
  });
});
