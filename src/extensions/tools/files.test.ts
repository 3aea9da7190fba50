import { chmodSync, closeSync, ftruncateSync, openSync, statSync, symlinkSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { bindTool, callTool } from '../../testing/call-tool.ts';
import { createTempWorkspace, type TempWorkspace } from '../../testing/temp-workspace.ts';
import editFile from './edit-file.ts';
import ls from './ls.ts';
import readFile from './read-file.ts';
import writeFile from './write-file.ts';

const read = (host: TempWorkspace, file_path: string, more: JsonObject = {}) =>
  callTool(readFile, host, { file_path, ...more });
const write = (host: TempWorkspace, file_path: string, content: string) =>
  callTool(writeFile, host, { file_path, content });
const edit = (host: TempWorkspace, old_string: string, new_string: string, more: JsonObject = {}) =>
  callTool(editFile, host, { file_path: 'f', old_string, new_string, ...more });

describe('read_file', () => {
  it('numbers lines, always says how many there are, and where to go on', async () => {
    await using host = createTempWorkspace({
      f: 'a\n\nb\nlast',
      g: 'line\n'.repeat(5000),
      h: `${'x'.repeat(99)}\n`.repeat(1000),
    });
    expect((await read(host, 'f')).text).toBe('1\ta\n2\t\n3\tb\n4\tlast\n[lines 1-4 of 4]');
    expect((await read(host, 'f', { offset: 2, limit: 2 })).text).toBe(
      '2\t\n3\tb\n[lines 2-3 of 4; go on with offset 4]',
    );
    expect((await read(host, 'g')).text).toMatch(/\n\[lines 1-2000 of 5000; go on with offset 2001\]$/);
    expect((await read(host, 'g', { offset: 4999, limit: 9 })).text).toBe(
      '4999\tline\n5000\tline\n[lines 4999-5000 of 5000]',
    );
    expect((await read(host, 'h')).text).toMatch(/\n\[lines 1-500 of 1000; go on with offset 501\]$/);
  });

  it('keeps to small limits', async () => {
    await using host = createTempWorkspace(
      { f: 'line\n'.repeat(500), g: `${'x'.repeat(999)}\n`.repeat(9) },
      { limits: { lines: 100, bytes: 4096 } },
    );
    expect((await read(host, 'f', { limit: 400 })).text).toMatch(/\n\[lines 1-100 of 500; go on with offset 101\]$/);
    expect((await read(host, 'g')).text).toMatch(/\n\[lines 1-4 of 9; go on with offset 5\]$/);
  });

  it('tells an offset after the end from an empty file (case P05)', async () => {
    await using host = createTempWorkspace({ 'list.txt': 'x\n'.repeat(7), '.gitkeep': '' });
    expect(await read(host, 'list.txt', { offset: 50 })).toMatchObject({
      status: 'error',
      text: 'offset 50 is past the end of list.txt, which has 7 lines.',
    });
    expect(await read(host, '.gitkeep')).toMatchObject({ status: 'ok', text: '.gitkeep is empty (0 lines).' });
  });

  it('shows images as what they are, whatever they are called (case P04)', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
      'base64',
    );
    const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]);
    const files = {
      'a.dat': png,
      'b.png': jpeg,
      'chart.png': '{"ok":true}',
      'none.png': '',
      'cut.png': png.subarray(0, 20),
    };
    await using host = createTempWorkspace({ ...files, 'big.png': Buffer.concat([png, Buffer.alloc(4e6)]) });
    expect((await read(host, 'a.dat')).content).toContainEqual({
      type: 'image',
      mediaType: 'image/png',
      data: png.toString('base64'),
    });
    expect((await read(host, 'b.png')).content).toContainEqual({
      type: 'image',
      mediaType: 'image/jpeg',
      data: jpeg.toString('base64'),
    });
    expect(await read(host, 'chart.png')).toMatchObject({ status: 'ok', text: '1\t{"ok":true}\n[lines 1-1 of 1]' });
    expect((await read(host, 'none.png')).text).toBe('none.png is empty (0 lines).');
    expect(await read(host, 'cut.png')).toMatchObject({ status: 'error', text: expect.stringContaining('damaged') });
    expect(await read(host, 'big.png')).toMatchObject({ status: 'error', text: expect.stringContaining('4.0 MB') });
  });

  it('names binary files by size and type (security J3)', async () => {
    await using host = createTempWorkspace({ a: Buffer.from('PK\x03\x04\0\0'), u: Buffer.from('\ufeffhi', 'utf16le') });
    expect((await read(host, 'a')).text).toBe(
      'a is a binary file: 6 bytes, ZIP archive or office document. It is not shown.',
    );
    expect((await read(host, 'u')).text).toContain('UTF-16 text');
  });

  it('marks what is no UTF-8, and says what edits keep (security J1, J2)', async () => {
    await using host = createTempWorkspace({ f: Buffer.from('caf\xe9\r\nok', 'latin1'), g: '\ufeffa\n' });
    expect((await read(host, 'f')).text).toBe(
      '1\tcaf\ufffd\n2\tok\n[lines 1-2 of 2; 1 line not UTF-8, shown with \ufffd; edit_file keeps those bytes; CRLF line endings, kept by edits]',
    );
    expect((await read(host, 'g')).text).toBe('1\ta\n[lines 1-1 of 1; UTF-8 byte order mark, kept by edits]');
  });

  it('reads huge files and huge lines in constant memory (security J4)', async () => {
    await using host = createTempWorkspace({ long: `${'x'.repeat(50_000_000)}\nend\n` });
    const descriptor = openSync(host.path('sparse'), 'w');
    writeSync(descriptor, `${'text\n'.repeat(3000)}`);
    ftruncateSync(descriptor, 5e9);
    closeSync(descriptor);
    const before = process.memoryUsage().rss;
    expect((await read(host, 'long')).text).toMatch(
      /^1\tx{2000}… \[line cut: it has 50000000 bytes\]\n2\tend\n\[lines 1-2 of 2\]$/,
    );
    expect((await read(host, 'sparse', { offset: 10, limit: 1 })).text).toMatch(
      /^10\ttext\n\[lines 10-10 of more than \d+; go on with offset 11\]$/,
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(50e6);
    const refused = await callTool(editFile, host, { file_path: 'sparse', old_string: 'text', new_string: 'x' });
    expect(refused).toMatchObject({
      status: 'error',
      text: expect.stringContaining('sparse is too large for this: 5.0 GB'),
    });
  });
});

describe('write_file', () => {
  it('makes folders and says what it did', async () => {
    await using host = createTempWorkspace();
    expect((await write(host, 'a/b/f', 'one\ntwo\n')).text).toBe('Created a/b/f (2 lines, 8 bytes).');
    expect((await write(host, 'a/b/f', 'one')).text).toBe('Replaced a/b/f (1 line, 3 bytes).');
    expect(host.text('a/b/f')).toBe('one');
    expect(await write(host, 'a', 'x')).toMatchObject({ status: 'error', text: 'a: is a folder, not a file.' });
  });

  it('wants an existing file to be read first, and read again when it changed (security J6)', async () => {
    await using host = createTempWorkspace({ f: 'theirs' });
    expect(await write(host, 'f', 'mine')).toMatchObject({
      status: 'error',
      text: expect.stringContaining('Read it first'),
    });
    await read(host, 'f');
    host.put('f', 'changed by others');
    expect(await write(host, 'f', 'mine')).toMatchObject({
      status: 'error',
      text: expect.stringContaining('changed since you read it'),
    });
    expect(await edit(host, 'changed', 'x')).toMatchObject({
      status: 'error',
      text: expect.stringContaining('changed since you read it'),
    });
    await read(host, 'f');
    expect((await write(host, 'f', 'mine')).status).toBe('ok');
    expect(host.text('f')).toBe('mine');
  });

  it('keeps mark, line endings, a missing last one and mode of an existing file (security J2)', async () => {
    await using host = createTempWorkspace({ f: '\ufeffa\r\nb' });
    chmodSync(host.path('f'), 0o700);
    await read(host, 'f');
    await write(host, 'f', 'x\ny');
    expect(host.text('f')).toBe('\ufeffx\r\ny');
    expect(statSync(host.path('f')).mode & 0o777).toBe(0o700);
    await edit(host, 'x\n', 'z\nw\n');
    expect(host.text('f')).toBe('\ufeffz\r\nw\r\ny');
  });
});

describe('edit_file', () => {
  it('keeps every other byte (security J1)', async () => {
    const original = Buffer.concat([
      Buffer.from([0xe9, 0xff, 10]),
      Buffer.from('name = "é"\n中文\n'),
      Buffer.from([0xe9]),
    ]);
    await using host = createTempWorkspace({ f: original });
    expect((await edit(host, '中', 'x文')).text).toBe('Replaced 1 occurrence in f at line 3.');
    expect(host.bytes('f')).toEqual(
      Buffer.concat([Buffer.from([0xe9, 0xff, 10]), Buffer.from('name = "é"\nx文文\n'), Buffer.from([0xe9])]),
    );
  });

  it('says which level matched', async () => {
    await using host = createTempWorkspace({ f: 'a  \r\n\tb\r\n' });
    expect((await edit(host, 'a\n', 'c\n')).text).toContain('blanks at line ends differ');
    expect((await edit(host, '  b', '  d')).text).toContain('the indentation differs');
    expect(host.text('f')).toBe('c\r\n\td\r\n');
  });

  it('refuses what is empty, the same, missing, ambiguous or binary (security J3, J9)', async () => {
    await using host = createTempWorkspace({ f: 'a\nb\na\n', g: 'x\0y' });
    const expectRefusal = async (call: ReturnType<typeof edit>, text: string) =>
      expect(await call).toMatchObject({ status: 'error', text: expect.stringContaining(text) });
    await expectRefusal(edit(host, '', 'x'), 'old_string is empty');
    await expectRefusal(edit(host, 'a', 'a'), 'are the same');
    await expectRefusal(edit(host, 'nine', 'x'), 'does not occur in f');
    await expectRefusal(edit(host, 'a', 'x'), 'occurs 2 times in f, at lines 1, 3');
    await expectRefusal(edit(host, 'x', 'z', { file_path: 'g' }), 'binary file');
    await expectRefusal(edit(host, 'x', 'z', { file_path: 'nope' }), 'nope: no such file or folder.');
    expect(host.text('f')).toBe('a\nb\na\n');
    expect((await edit(host, 'a', '$&', { replace_all: true })).text).toBe(
      'Replaced 2 occurrences in f at lines 1, 3.',
    );
    expect(host.text('f')).toBe('$&\nb\n$&\n');
  });

  it('queues under one key however the path is written, so that six edits all land (security M1)', async () => {
    await using host = createTempWorkspace({ f: '1 2 3 4 5 6' });
    symlinkSync('f', host.path('l'));
    const bound = bindTool(editFile, host);
    const keys = ['f', './f', 'l', host.path('f'), 'x/../f'].map((file_path) => bound.queueKey?.({ file_path }));
    expect(new Set(keys)).toEqual(new Set([host.path('f')]));
    for (let n = 1; n <= 6; n++) await edit(host, String(n), `<${n}>`);
    expect(host.text('f')).toBe('<1> <2> <3> <4> <5> <6>');
    const race = await Promise.all([edit(host, '<1>', 'x'), edit(host, '<2>', 'y')]);
    const landed = ['x', 'y'].filter((letter) => host.text('f').includes(letter));
    expect(race.filter(({ status }) => status === 'ok')).toHaveLength(landed.length);
  });
});

describe('ls', () => {
  it('shows kinds and sizes, and names that hide something as escapes', async () => {
    await using host = createTempWorkspace({
      'b.txt': 'x'.repeat(1500),
      'a/f': '',
      '\u202egpj.exe': '',
      'new\nline': 'x',
    });
    symlinkSync('../x', host.path('link'));
    expect((await callTool(ls, host, {})).text).toBe(
      '.:\na/\nb.txt  1.5 KB\nlink -> ../x\nnew\\nline  1 byte\n\\u{202e}gpj.exe  0 bytes',
    );
    expect((await callTool(ls, host, { path: 'b.txt' })).text).toBe('b.txt: a part of the path is not a folder.');
  });

  it('shows the first 1,000 of 10,000 entries and says so', async () => {
    await using host = createTempWorkspace();
    for (let n = 0; n < 10_000; n++) host.put(`f${n}`, '');
    const lines = (await callTool(ls, host, { path: '.' })).text.split('\n');
    expect([lines.length, lines.at(-1)]).toEqual([1002, '[9000 more of 10000 entries; use glob to narrow]']);
  });
});
