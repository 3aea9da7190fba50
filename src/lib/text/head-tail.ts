/** Keeps the first and the last bytes of a stream that may be endless; memory stays bounded. */
import { keepEnd, keepStart } from './truncate.ts';

/** Bytes kept beyond the limit, so that a character torn by it can be dropped whole. */
const slack = 64;

/** Takes the pieces one after the other; `text` shows both ends of what came so far. */
export class HeadTail {
  readonly #max: number;
  #head: Buffer[] = [];
  #headSize = 0;
  #tail: Buffer[] = [];
  #tailSize = 0;
  #total = 0;

  /** `maxBytes` is what `text` shows at most, its mark not counted. */
  constructor(maxBytes: number) {
    this.#max = maxBytes;
  }

  /** Takes bytes; they are copied where they are kept. */
  push(bytes: Uint8Array): void {
    this.#total += bytes.length;
    const room = Math.max(0, this.#max - this.#headSize);
    if (room > 0) {
      const kept = Buffer.from(bytes.subarray(0, room));
      this.#head.push(kept);
      this.#headSize += kept.length;
    }
    if (bytes.length <= room) return;
    const rest = Buffer.from(bytes.subarray(Math.max(room, bytes.length - this.#max - slack)));
    this.#tail.push(rest);
    this.#tailSize += rest.length;
    // Merged now and then, so that a flood of tiny pieces costs no more than their bytes.
    if (this.#tailSize > 2 * (this.#max + slack) || this.#tail.length > 1000) {
      const all = Buffer.concat(this.#tail);
      const last = Buffer.from(all.subarray(Math.max(0, all.length - this.#max - slack)));
      this.#tail = [last];
      this.#tailSize = last.length;
    }
  }

  /** Everything when it fits, else both ends with a line between them that says how many bytes are left out. */
  text(): string {
    const head = decode(Buffer.concat(this.#head));
    if (this.#total <= this.#max) return head;
    const tail = decode(Buffer.concat([...this.#head, ...this.#tail]).subarray(-this.#max - slack));
    const start = keepStart(head, Math.ceil(this.#max / 2)).text;
    const end = keepEnd(tail, Math.floor(this.#max / 2)).text;
    const dropped = Math.max(0, this.#total - Buffer.byteLength(start) - Buffer.byteLength(end));
    return `${start}\n[... ${dropped} bytes left out ...]\n${end}`;
  }

  /** Forgets everything. */
  clear(): void {
    this.#head = [];
    this.#tail = [];
    this.#headSize = this.#tailSize = this.#total = 0;
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
