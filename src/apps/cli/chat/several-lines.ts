/** Text of several lines in a prompt that has one: a line end inside it stands as a sign until it is sent. Pure. */

/** Stands for a line end in the line being edited. */
const sign = '\u2424';

const begin = '\x1b[200~';
const end = '\x1b[201~';

/** Tells the terminal to mark what is pasted, and to stop it. */
export const pasteMarks = { on: '\x1b[?2004h', off: '\x1b[?2004l' };

/**
 * A filter for what a terminal sends, piece by piece: what is pasted between the terminal's marks becomes one line whose
 * line ends are signs, without keys that would act; so does a line end typed with Alt.
 */
export function foldLines(): (keys: string) => string {
  let isPasted = false;
  let rest = '';
  return (keys) => {
    let open = rest + keys;
    let folded = '';
    for (;;) {
      const mark = isPasted ? end : begin;
      const at = open.indexOf(mark);
      // A mark may come in two pieces, and so may a line end.
      const cut = at < 0 ? open.length - (begunMark(open, mark) || (isPasted && open.endsWith('\r') ? 1 : 0)) : at;
      const part = open.slice(0, cut);
      folded += isPasted ? foldPasted(part) : part.replace(/\x1b(\r\n?|\n)/g, sign);
      rest = open.slice(cut);
      if (at < 0) return folded;
      open = open.slice(at + mark.length);
      isPasted = !isPasted;
    }
  };
}

/** The text with its line ends, as it is sent. */
export function unfoldLines(line: string): string {
  return line.replaceAll(sign, '\n');
}

/** The text before the `\` at its end that says the next line belongs to it; undefined without one. */
export function withoutJoin(line: string): string | undefined {
  return line.endsWith('\\') ? line.slice(0, -1) : undefined;
}

function foldPasted(text: string): string {
  return text.replace(/\r\n?|\n/g, sign).replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '');
}

/** How many characters at the end of the text may be the beginning of a mark. */
function begunMark(text: string, mark: string): number {
  let length = Math.min(text.length, mark.length - 1);
  while (length > 0 && !text.endsWith(mark.slice(0, length))) length--;
  return length;
}
