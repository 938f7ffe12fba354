import type { SourceTexts, TextStore } from './text-store.ts';

/** The length of an entry, before its text. */
const HEADER_BYTES = 4;
/** What an entry costs on the heap: its key and its place in the map, roughly. */
const HEAP_BYTES = 200;

/**
 * Full texts within a bound of bytes: those least recently put or got go first. An entry that is larger than the
 * whole bound is not kept.
 *
 * Entries are JSON in one ring buffer outside the heap: as objects or strings they would be most of what the
 * garbage collector has to copy and to walk over, though hardly one in a thousand is ever looked at.
 *
 * Places are counted from the first byte ever written, so a place is still there as long as it lies less than
 * the size of the ring behind the end.
 */
export class LruTextStore implements TextStore {
  private readonly capacity: number;
  private readonly maxEntries: number;
  private ring: Buffer | undefined;
  private end = 0;
  /** Places by key, the oldest first. */
  private readonly places = new Map<string, number>();
  /**
   * Stands before the oldest entry. Kept, because a new iterator would have to walk over what was deleted
   * since the map last grew.
   */
  private oldest = this.places.entries();

  /**
   * @param maxBytes what all entries together may take, those on the heap included
   * @param maxEntries how many there may be
   */
  constructor(maxBytes: number, maxEntries = Infinity) {
    this.capacity = maxBytes;
    this.maxEntries = maxEntries;
  }

  get size(): number {
    return this.places.size;
  }

  put(sourceKey: string, texts: SourceTexts): void {
    this.append(sourceKey, JSON.stringify(texts));
  }

  get(sourceKey: string): SourceTexts | undefined {
    const json = this.read(sourceKey);
    if (json === undefined) return undefined;
    // Put again, it is among the most recent.
    this.append(sourceKey, json);
    return JSON.parse(json) as SourceTexts;
  }

  delete(sourceKey: string): void {
    this.places.delete(sourceKey);
  }

  private append(sourceKey: string, json: string): void {
    this.places.delete(sourceKey);
    const textBytes = Buffer.byteLength(json);
    const bytes = HEADER_BYTES + textBytes + HEAP_BYTES + sourceKey.length;
    if (bytes > this.capacity) return;
    // Memory that was never written to takes no room yet.
    const ring = (this.ring ??= Buffer.allocUnsafeSlow(this.capacity));
    const left = this.capacity - (this.end % this.capacity);
    if (bytes > left) this.end += left;
    const start = this.end % this.capacity;
    ring.writeUInt32LE(textBytes, start);
    ring.write(json, start + HEADER_BYTES, 'utf8');
    this.places.set(sourceKey, this.end);
    this.end += bytes;
    if (this.places.size > this.maxEntries) this.forgetOne();
    this.forgetOverwritten();
  }

  private read(sourceKey: string): string | undefined {
    const place = this.places.get(sourceKey);
    if (place === undefined || !this.ring) return undefined;
    const start = (place % this.capacity) + HEADER_BYTES;
    return this.ring.toString('utf8', start, start + this.ring.readUInt32LE(start - HEADER_BYTES));
  }

  private forgetOne(): void {
    for (const key of this.places.keys()) {
      this.places.delete(key);
      return;
    }
  }

  private forgetOverwritten(): void {
    const first = this.end - this.capacity;
    if (first <= 0) return;
    for (;;) {
      if (this.next === undefined) {
        const { done, value } = this.oldest.next();
        // The entry that was just put is always there, so a finished iterator has only to be made anew.
        if (done) this.oldest = this.places.entries();
        else this.next = value;
        continue;
      }
      const [key, place] = this.next;
      // An entry that was put again or deleted since has no claim on this place.
      if (place >= first && this.places.get(key) === place) return;
      if (this.places.get(key) === place) this.places.delete(key);
      this.next = undefined;
    }
  }

  /** The entry that the iterator last gave, while it is still kept. */
  private next: [string, number] | undefined;
}
