import type { SourceTexts, TextStore } from './text-store.ts';

/** V8 holds text outside Latin-1 with two bytes a character; assumed for all, so that the bound is safe. */
const BYTES_PER_CHAR = 2;
/** Object header, hash slot and hidden class of an entry or of a value in it, roughly. */
const BYTES_PER_VALUE = 48;

interface Entry {
  readonly texts: SourceTexts;
  readonly bytes: number;
}

/**
 * Full texts within a bound of bytes, by estimate: the least recently put or got go first. An entry that is
 * larger than the whole bound is not kept.
 */
export class LruTextStore implements TextStore {
  private readonly maxBytes: number;
  /** A Map iterates in order of insertion: the first is the least recently used. */
  private readonly held = new Map<string, Entry>();
  private heldBytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** Estimated bytes held. */
  get bytes(): number {
    return this.heldBytes;
  }

  get size(): number {
    return this.held.size;
  }

  put(sourceKey: string, texts: SourceTexts): void {
    this.delete(sourceKey);
    const bytes = estimate(sourceKey) + estimate(texts);
    if (bytes > this.maxBytes) return;
    this.held.set(sourceKey, { texts, bytes });
    this.heldBytes += bytes;
    for (const oldest of this.held.keys()) {
      if (this.heldBytes <= this.maxBytes) break;
      this.delete(oldest);
    }
  }

  get(sourceKey: string): SourceTexts | undefined {
    const entry = this.held.get(sourceKey);
    if (!entry) return undefined;
    this.held.delete(sourceKey);
    this.held.set(sourceKey, entry);
    return entry.texts;
  }

  delete(sourceKey: string): void {
    const entry = this.held.get(sourceKey);
    if (!entry) return;
    this.held.delete(sourceKey);
    this.heldBytes -= entry.bytes;
  }

  /** The least recently used first. Does not count as use. */
  *entries(): Generator<readonly [sourceKey: string, texts: SourceTexts]> {
    for (const [sourceKey, { texts }] of this.held) yield [sourceKey, texts];
  }
}

/** Without recursion, because attributes may be nested deeply. */
function estimate(value: unknown): number {
  let bytes = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    bytes += BYTES_PER_VALUE;
    if (typeof next === 'string') bytes += next.length * BYTES_PER_CHAR;
    else if (Array.isArray(next)) for (const item of next) open.push(item);
    else if (typeof next === 'object' && next !== null) {
      for (const [key, inner] of Object.entries(next)) {
        bytes += key.length * BYTES_PER_CHAR;
        open.push(inner);
      }
    }
  }
  return bytes;
}
