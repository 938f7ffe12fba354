import { BoundaryError } from './boundary-error.ts';

const SKIPPED_GROUP_DEPTH = 32;
const MAX_PREFIX_BYTES = 5;
const CACHE_SLOTS = 4096;
const CACHED_BYTES = 48;
const CACHED_WORDS = CACHED_BYTES / 4;
const ID_SLOTS = 1024;

/**
 * Reads the protobuf wire format from a Buffer. Every read is checked against the end of the message it
 * belongs to; a message that breaks its bounds is refused as a whole, as any protobuf parser does.
 */
export class WireReader {
  pos = 0;
  /** The halves of the last 64-bit value read, both unsigned. */
  lo = 0;
  hi = 0;
  readonly size: number;
  private readonly bytes: Buffer;
  private readonly view: DataView;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.size = bytes.length;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** A field's tag: `number << 3 | wire type`. */
  tag(end: number): number {
    if (this.pos < end) {
      const first = this.bytes[this.pos] as number;
      if (first < 0x80) {
        this.pos++;
        if (first >>> 3 === 0) throw this.fault('field number 0');
        return first;
      }
    }
    const tag = this.prefix(end);
    if (tag >>> 3 === 0) throw this.fault('field number 0');
    return tag;
  }

  /** A length prefix, as the position where the field ends. */
  lengthEnd(end: number): number {
    let length: number;
    if (this.pos < end && (this.bytes[this.pos] as number) < 0x80) {
      length = this.bytes[this.pos++] as number;
    } else {
      length = this.prefix(end);
    }
    const fieldEnd = this.pos + length;
    if (fieldEnd > end) throw this.fault('a length runs past the end of its message');
    return fieldEnd;
  }

  /** A tag or length: what has more bytes than these need is refused by some parsers and read as something else by others. */
  private prefix(end: number): number {
    const start = this.pos;
    const value = this.varint32(end);
    if (this.pos - start > MAX_PREFIX_BYTES || this.hi !== 0)
      throw this.fault('a tag or length of over 32 bits');
    return value;
  }

  /** The low 32 bits of a varint, unsigned. */
  varint32(end: number): number {
    this.varint64(end);
    return this.lo;
  }

  /** A varint into `lo` and `hi`. */
  varint64(end: number): void {
    let lo = 0;
    let hi = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.pos >= end) throw this.fault('a number is cut off');
      const byte = this.bytes[this.pos++] as number;
      const bits = byte & 0x7f;
      if (shift < 28) lo |= bits << shift;
      else if (shift === 28) {
        lo |= bits << 28;
        hi |= bits >>> 4;
      } else if (shift < 63) hi |= bits << (shift - 32);
      else hi |= (bits & 1) << 31;
      if (byte < 0x80) {
        this.lo = lo >>> 0;
        this.hi = hi >>> 0;
        return;
      }
    }
    throw this.fault('a number has more than ten bytes');
  }

  fixed64(end: number): void {
    const start = this.pos;
    if (start + 8 > end) throw this.fault('a 64-bit number is cut off');
    this.lo = this.view.getUint32(start, true);
    this.hi = this.view.getUint32(start + 4, true);
    this.pos = start + 8;
  }

  double(end: number): number {
    const start = this.pos;
    if (start + 8 > end) throw this.fault('a 64-bit number is cut off');
    this.pos = start + 8;
    return this.view.getFloat64(start, true);
  }

  /** A copy of the text up to `fieldEnd`; never a view of the request's bytes. */
  text(fieldEnd: number): string {
    const start = this.pos;
    this.pos = fieldEnd;
    return start === fieldEnd ? '' : this.bytes.toString('utf8', start, fieldEnd);
  }

  /** Like `text`, for repeated names (keys): returns the same string object, whose hash is already computed. */
  name(fieldEnd: number): string {
    const start = this.pos;
    const length = fieldEnd - start;
    if (length < 4 || length > CACHED_BYTES) return this.text(fieldEnd);
    const slot = this.slotOf(start, length);
    const cached = nameCache[slot];
    if (cached?.length === length && this.isHeld(slot, start, length)) {
      this.pos = fieldEnd;
      return cached;
    }
    const name = this.text(fieldEnd);
    // Held are texts that are as long as their bytes, nearly always ASCII: of these the length says how many bytes to compare.
    if (name.length === length) {
      nameCache[slot] = name;
      this.hold(slot, start, length);
    }
    return name;
  }

  /** Bytes as lower-case hex. Ids only: at most 64 bytes are shown, so a wrong length stays visible. */
  hex(fieldEnd: number): string {
    const start = this.pos;
    this.pos = fieldEnd;
    return this.bytes.toString('hex', start, Math.min(fieldEnd, start + 64));
  }

  /**
   * As `hex`, for ids of traces and spans: equal ones, of which a request has many (each span names its trace and its
   * parent), are mostly the same string.
   */
  id(fieldEnd: number): string {
    const { pos, view } = this;
    const length = fieldEnd - pos;
    if (length !== 8 && length !== 16) return this.hex(fieldEnd);
    const first = view.getUint32(pos, true);
    const second = view.getUint32(pos + 4, true);
    const last = view.getUint32(fieldEnd - 4, true);
    const slot = (Math.imul(first ^ last, 0x9e37_79b1) >>> 20) & (ID_SLOTS - 1);
    const held = idCache[slot];
    if (
      held?.length === length &&
      held.first === first &&
      held.second === second &&
      held.last === last &&
      (length === 8 || held.third === view.getUint32(pos + 8, true))
    ) {
      this.pos = fieldEnd;
      return held.text;
    }
    const third = length === 8 ? 0 : view.getUint32(pos + 8, true);
    const text = this.hex(fieldEnd);
    idCache[slot] = { length, first, second, third, last, text };
    return text;
  }

  /** Skips a field. */
  skip(tag: number, end: number): void {
    this.skipField(tag, end, 0);
  }

  fault(problem: string): BoundaryError {
    return new BoundaryError(
      'INVALID_ARGUMENT',
      `not a valid protobuf message: ${problem} (at byte ${this.pos} of ${this.size})`,
    );
  }

  private skipField(tag: number, end: number, depth: number): void {
    switch (tag & 7) {
      case 0:
        this.varint64(end);
        return;
      case 1:
        this.advance(8, end);
        return;
      case 2:
        this.pos = this.lengthEnd(end);
        return;
      case 3:
        this.skipGroup(tag, end, depth + 1);
        return;
      case 5:
        this.advance(4, end);
        return;
      default:
        throw this.fault(`wire type ${tag & 7}`);
    }
  }

  private skipGroup(open: number, end: number, depth: number): void {
    if (depth > SKIPPED_GROUP_DEPTH) throw this.fault('groups are nested too deep');
    for (;;) {
      const tag = this.tag(end);
      if ((tag & 7) === 4) {
        if (tag >>> 3 !== open >>> 3) throw this.fault('a group ends that did not start');
        return;
      }
      this.skipField(tag, end, depth);
    }
  }

  private advance(count: number, end: number): void {
    if (this.pos + count > end) throw this.fault('a number is cut off');
    this.pos += count;
  }

  /** A hash of twelve of the bytes; colliding names evict each other, which only costs time. */
  private slotOf(start: number, length: number): number {
    const { view } = this;
    const last = start + length - 4;
    let hash = Math.imul(view.getUint32(start, true) ^ length, 0x9e37_79b1);
    hash = Math.imul(hash ^ view.getUint32((start + last) >>> 1, true), 0x85eb_ca6b);
    hash = Math.imul(hash ^ view.getUint32(last, true), 0xc2b2_ae35);
    return (hash ^ (hash >>> 15)) & (CACHE_SLOTS - 1);
  }

  /** Whether these bytes are those of the name in the slot: four at once, and the last four. */
  private isHeld(slot: number, start: number, length: number): boolean {
    const { view } = this;
    const last = start + length - 4;
    let word = slot * CACHED_WORDS;
    for (let at = start; at < last; at += 4) if (view.getUint32(at) !== nameWords[word++]) return false;
    return view.getUint32(last) === nameWords[word];
  }

  private hold(slot: number, start: number, length: number): void {
    const last = start + length - 4;
    let word = slot * CACHED_WORDS;
    for (let at = start; at < last; at += 4) nameWords[word++] = this.view.getUint32(at);
    nameWords[word] = this.view.getUint32(last);
  }
}

/** Direct-mapped and therefore bounded: CACHE_SLOTS strings of CACHED_BYTES. */
const nameCache: (string | undefined)[] = Array.from({ length: CACHE_SLOTS }, () => undefined);
/** Their bytes: a word is compared as fast as a character of a string. */
const nameWords = new Uint32Array(CACHE_SLOTS * CACHED_WORDS);

interface HeldId {
  readonly length: number;
  readonly first: number;
  readonly second: number;
  readonly third: number;
  readonly last: number;
  readonly text: string;
}

/** Direct-mapped, as the names. */
const idCache: (HeldId | undefined)[] = Array.from({ length: ID_SLOTS }, () => undefined);
