import { isUtf8 } from 'node:buffer';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_LETTER = 0x20;
/** As `JSON.stringify` escapes them. */
const ESCAPES = new Map([
  [QUOTE, '\\"'],
  [BACKSLASH, '\\\\'],
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
]);
/** A byte becomes at most so many: `\u0000`. */
const MOST_FROM_A_BYTE = 6;

/** What is kept for the next text; almost all are shorter. */
const KEPT_BYTES = 64 * 1024;

/** JSON that is written as bytes, from texts that are bytes. */
export class JsonWriter {
  private bytes = Buffer.allocUnsafeSlow(KEPT_BYTES);
  private length = 0;

  /** Forgets what was written. */
  clear(): void {
    this.length = 0;
    if (this.bytes.length > KEPT_BYTES) this.bytes = Buffer.allocUnsafeSlow(KEPT_BYTES);
  }

  /** What was written since it was cleared, in bytes that are its own, behind others. */
  behind(first: Buffer): Buffer {
    // Not of Node's pool: one that is kept for long would keep all 64 KiB of others there.
    const all = Buffer.allocUnsafeSlow(first.length + this.length);
    first.copy(all);
    this.bytes.copy(all, first.length, 0, this.length);
    return all;
  }

  /** Of ASCII. */
  letters(text: string): void {
    this.makeRoom(text.length);
    // Short ones: a call of `Buffer.write` would take longer.
    for (let i = 0; i < text.length; i++) this.bytes[this.length++] = text.charCodeAt(i);
  }

  /** A value that is there as JSON. */
  json(json: Buffer): void {
    this.makeRoom(json.length);
    this.length += json.copy(this.bytes, this.length);
  }

  /** The text that these bytes are in UTF-8. @returns false where they are none: what was written is no JSON then */
  text(from: Buffer, start: number, end: number): boolean {
    this.makeRoom((end - start) * MOST_FROM_A_BYTE + 2);
    const { bytes } = this;
    let at = this.length;
    let all = 0;
    bytes[at++] = QUOTE;
    for (let i = start; i < end; i++) {
      const byte = from[i] as number;
      all |= byte;
      if (byte >= FIRST_LETTER && byte !== QUOTE && byte !== BACKSLASH) bytes[at++] = byte;
      else {
        const escape = ESCAPES.get(byte) ?? `\\u00${byte.toString(16).padStart(2, '0')}`;
        for (let n = 0; n < escape.length; n++) bytes[at++] = escape.charCodeAt(n);
      }
    }
    bytes[at++] = QUOTE;
    this.length = at;
    return all < 0x80 || isUtf8(from.subarray(start, end));
  }

  private makeRoom(size: number): void {
    if (this.length + size <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow((this.length + size) * 2);
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}
