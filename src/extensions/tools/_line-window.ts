/** Picks some lines out of a stream of bytes and counts all of them; memory does not grow with the stream. */

/** Bytes of one line that are kept. */
const maxLineBytes = 2000;

export interface WindowLine {
  readonly number: number;
  /** The beginning of the line without its ending. */
  readonly bytes: Buffer;
  /** Length of the whole line. */
  readonly size: number;
  readonly crlf: boolean;
}

/** Takes the pieces one after the other, then `end`; `lines` and `total` are good at any time. */
export class LineWindow {
  readonly lines: WindowLine[] = [];
  readonly #first: number;
  readonly #count: number;
  readonly #maxBytes: number;
  #bytes = 0;
  #full = false;
  #number = 1;
  #kept: Buffer[] = [];
  #keptSize = 0;
  #size = 0;
  #last = 0;

  /** Lines from `first` on, from 1, at most `count` and at most `maxBytes` long together. */
  constructor(first: number, count: number, maxBytes: number) {
    this.#first = first;
    this.#count = count;
    this.#maxBytes = maxBytes;
  }

  /** Whether no more lines will be picked. */
  get full(): boolean {
    return this.#full;
  }

  /** Lines seen so far. */
  get total(): number {
    return this.#number - 1 + (this.#size > 0 ? 1 : 0);
  }

  push(piece: Uint8Array): void {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let at = 0;
    while (at < bytes.length) {
      const end = bytes.indexOf(10, at);
      this.#take(bytes.subarray(at, end < 0 ? bytes.length : end));
      if (end < 0) return;
      this.#close();
      at = end + 1;
    }
  }

  /** The last line may have no ending. */
  end(): void {
    if (this.#size > 0) this.#close();
  }

  #take(part: Buffer): void {
    if (part.length === 0) return;
    this.#size += part.length;
    this.#last = part[part.length - 1]!;
    const room = maxLineBytes + 1 - this.#keptSize;
    if (!this.#wanted() || room <= 0) return;
    // A copy: the piece is valid for the moment only.
    const kept = Buffer.from(part.subarray(0, room));
    this.#kept.push(kept);
    this.#keptSize += kept.length;
  }

  #wanted(): boolean {
    return !this.#full && this.#number >= this.#first;
  }

  #close(): void {
    if (this.#wanted()) this.#pick();
    this.#number++;
    this.#kept = [];
    this.#keptSize = this.#size = this.#last = 0;
  }

  #pick(): void {
    const crlf = this.#last === 13;
    const size = this.#size - (crlf ? 1 : 0);
    const bytes = Buffer.concat(this.#kept).subarray(0, Math.min(size, maxLineBytes));
    const isFirst = this.lines.length === 0;
    if (!isFirst && this.#bytes + bytes.length + 1 > this.#maxBytes) {
      this.#full = true;
      return;
    }
    this.#bytes += bytes.length + 1;
    this.lines.push({ number: this.#number, bytes, size, crlf });
    if (this.lines.length === this.#count) this.#full = true;
  }
}
