/** The bytes of a history: every message is encoded once, when it is first sent, and its bytes are kept. */
import type { Message } from '../../protocol/message.ts';
import type { Codec, Unit } from './_codec.ts';

/** A growable run of bytes. What was taken from it stays valid: bytes are only ever added behind the end. */
class Bytes {
  #buffer = Buffer.allocUnsafe(16 * 1024);
  length = 0;

  add(text: string): void {
    // No UTF-16 unit takes more than three bytes.
    const needed = this.length + text.length * 3;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
      this.#buffer.copy(larger, 0, 0, this.length);
      this.#buffer = larger;
    }
    this.length += this.#buffer.write(text, this.length);
  }

  take(from: number, to: number): Buffer {
    return this.#buffer.subarray(from, to);
  }
}

/** The history as bytes of one wire: each message is encoded once, and what was sent is kept as it was. */
export class EncodedHistory {
  readonly #codec: Codec;
  readonly #own: string;
  readonly #sealed = new Bytes();
  #count = 0;
  #last: Message | undefined;
  /** Role of the run that stands open at the end of the sealed bytes. */
  #role: string | undefined;
  /** Offsets of the closing braces to mark: of the history as it is, and as the previous request had it. */
  #mark: number | undefined;
  #previousMark: number | undefined;
  #sentMark: number | undefined;

  constructor(codec: Codec, own: string) {
    this.#codec = codec;
    this.#own = own;
  }

  /** True where `messages` is what was encoded here, perhaps with more behind it. */
  continues(messages: readonly Message[]): boolean {
    return this.#count === 0 || messages[this.#count - 1] === this.#last;
  }

  /**
   * The list's elements as bytes to send: `messages` (encoding the new ones only), then `extra`, which is not kept.
   * No comma before the first.
   */
  assemble(messages: readonly Message[], extra: readonly Message[], marked: boolean): Uint8Array[] {
    for (; this.#count < messages.length; this.#count++) this.#seal(messages[this.#count]!);
    const rest = this.#rest(extra);
    const pieces =
      marked && this.#codec.mark ? this.#withMarks(this.#codec.mark) : [this.#sealed.take(0, this.#sealed.length)];
    return rest ? [...pieces, Buffer.from(rest)] : pieces;
  }

  #seal(message: Message): void {
    this.#last = message;
    for (const unit of this.#codec.encode(message, this.#own)) {
      this.#sealed.add(this.#opening(unit.role, this.#role, this.#sealed.length > 0) + unit.json);
      this.#role = unit.role;
      if (unit.markable) this.#mark = this.#sealed.length - 1;
    }
  }

  /** What stands between the previous unit (of role `before`) and one of `role`. */
  #opening(role: string, before: string | undefined, hasUnits: boolean): string {
    const { run } = this.#codec;
    if (!run || role === before) return hasUnits ? ',' : '';
    return `${before === undefined ? '' : `${run.close},`}${run.open(role)}`;
  }

  /** Units for this request alone, and the end of the run that is open. */
  #rest(extra: readonly Message[]): string {
    let text = '';
    let role = this.#role;
    let hasUnits = this.#sealed.length > 0;
    const units: Unit[] = extra.flatMap((message) => [...this.#codec.encode(message, this.#own)]);
    for (const unit of units) {
      text += this.#opening(unit.role, role, hasUnits) + unit.json;
      role = unit.role;
      hasUnits = true;
    }
    return role === undefined || !this.#codec.run ? text : text + this.#codec.run.close;
  }

  /**
   * Marks stand in the history only, not in `extra`: what the next request does not hold cannot be read from a cache.
   */
  #withMarks(mark: string): Uint8Array[] {
    if (this.#mark !== this.#sentMark) {
      this.#previousMark = this.#sentMark;
      this.#sentMark = this.#mark;
    }
    const text = Buffer.from(mark);
    const pieces: Uint8Array[] = [];
    let from = 0;
    for (const at of [this.#previousMark, this.#sentMark]) {
      if (at === undefined) continue;
      pieces.push(this.#sealed.take(from, at), text);
      from = at;
    }
    pieces.push(this.#sealed.take(from, this.#sealed.length));
    return pieces;
  }
}
