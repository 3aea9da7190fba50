import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { Output } from './output.ts';

function terminal(isTTY: boolean) {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  return { output: new Output(Object.assign(stream, { isTTY }) as unknown as NodeJS.WriteStream), written };
}

const attack = 'a\x1b[2J\x1b]52;c;eA==\x07\x9b1m\u202eb\u{e0041}';

it('security F1, F6: what reaches a terminal holds nothing that it obeys, whichever way it is written', async () => {
  const { output, written } = terminal(true);
  output.write(attack);
  output.line(attack);
  await output.writeAll(attack);
  output.json({ name: `a\n${attack}` });
  expect(written.join('')).toMatch(/^[\n\x20-\x7e]*$/);
});

it('a pipe gets the text as it is; JSON is safe to look at everywhere', () => {
  const { output, written } = terminal(false);
  output.write(attack);
  output.json(attack);
  expect(written[0]).toBe(attack);
  expect(written[1]).toMatch(/^[\n\x20-\x7e]*$/);
  expect(JSON.parse(written[1]!)).toBe(attack);
});
