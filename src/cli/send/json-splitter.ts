/** One JSON value of a file, as it stands there; or what is wrong in its place. */
export type Item =
  { readonly line: number; readonly text: string } | { readonly line: number; readonly problem: string };

/** The largest request that the service takes by default: what is larger would be refused there. */
export const MAX_ITEM_BYTES = 16 * 1024 * 1024;

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

const TOO_LARGE = `is larger than ${MAX_ITEM_BYTES / 1024 / 1024} MiB, the most that one request may have: split it`;
const HALF = 'the JSON that begins here ends in the middle: is the file complete?';

/**
 * Finds the values in a stream of bytes: one object, the items of an array, one object a line, or objects one after
 * the other. It holds one value at a time.
 *
 * When the first value stands on one line, a line that begins with a brace ends whatever is open before it, so that
 * a broken line costs no other.
 */
export class JsonSplitter {
  private line = 1;
  private byLine: boolean | undefined;
  private inArray = false;
  /** The line on which the value began that is being read. */
  private began: number | undefined;
  private depth = 0;
  private inString = false;
  private escaped = false;
  private parts: Buffer[] = [];
  private size = 0;
  private previous = NEWLINE;

  /** @returns the values that are complete with these bytes */
  push(chunk: Buffer): readonly Item[] {
    const items: Item[] = [];
    let from = 0;
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index] ?? 0;
      const isFirst = this.began === undefined && this.begins(byte);
      if (isFirst) from = index;
      const step = this.began === undefined ? 'inside' : this.follow(byte, isFirst);
      if (step !== 'inside') {
        this.keep(chunk.subarray(from, step === 'last' ? index + 1 : index));
        items.push(this.finish());
      }
      if (step === 'behind') {
        // Read again, now as what stands between values or begins the next.
        index -= 1;
        continue;
      }
      if (byte === NEWLINE) this.line += 1;
      this.previous = byte;
    }
    if (this.began !== undefined) this.keep(chunk.subarray(from));
    return items;
  }

  /** @returns what is left when nothing follows */
  end(): readonly Item[] {
    if (this.began !== undefined) {
      const isHalf = this.depth > 0 || this.inString;
      return [isHalf ? { line: this.began, problem: HALF } : this.finish()];
    }
    return this.inArray ? [{ line: this.line, problem: 'the array has no end: is the file complete?' }] : [];
  }

  /** Reads a byte between values. @returns whether a value begins with it */
  private begins(byte: number): boolean {
    if (byte <= SPACE || byte === COMMA) return false;
    if (byte === (this.inArray ? CLOSE_ARRAY : OPEN_ARRAY)) {
      this.inArray = !this.inArray;
      return false;
    }
    this.began = this.line;
    this.depth = 0;
    this.inString = false;
    this.escaped = false;
    return true;
  }

  /** Reads a byte of a value, or the one behind a value that has no end of its own. */
  private follow(byte: number, isFirst: boolean): 'inside' | 'last' | 'behind' {
    const beginsLine = byte === OPEN_OBJECT && this.previous === NEWLINE && !isFirst;
    if (beginsLine && this.byLine === true) return 'behind';
    if (this.inString) {
      if (this.escaped) this.escaped = false;
      else if (byte === BACKSLASH) this.escaped = true;
      else if (byte === QUOTE) this.inString = false;
      return 'inside';
    }
    if (byte === QUOTE) this.inString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (this.depth === 0) return isFirst ? 'last' : 'behind';
      this.depth -= 1;
      return this.depth === 0 ? 'last' : 'inside';
    } else if (this.depth === 0 && (byte <= SPACE || byte === COMMA)) return 'behind';
    return 'inside';
  }

  private keep(bytes: Buffer): void {
    this.size += bytes.length;
    if (this.size <= MAX_ITEM_BYTES) this.parts.push(Buffer.from(bytes));
    else this.parts = [];
  }

  private finish(): Item {
    const line = this.began ?? this.line;
    const { size } = this;
    const text = Buffer.concat(this.parts).toString('utf8');
    this.began = undefined;
    this.parts = [];
    this.size = 0;
    if (!this.inArray) this.byLine ??= line === this.line;
    return size > MAX_ITEM_BYTES ? { line, problem: TOO_LARGE } : { line, text };
  }
}
