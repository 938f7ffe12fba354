/** A run of neighbours. */
export interface Chunk<T> {
  readonly items: T[];
  /** What somebody worked out about the items; gone when they change. */
  notes: unknown;
}

export interface ChunkOptions<T> {
  readonly compare: (a: T, b: T) => number;
  /** Does a chunk begin at this item, wherever it stands? About one in `CHUNK_ITEMS` does. */
  readonly begins: (item: T) => boolean;
  /** Told of the chunk that an item is in now. */
  readonly onPlaced?: (item: T, chunk: Chunk<T>) => void;
}

/**
 * Items in order, in chunks. Where a chunk begins is a matter of the item there, not of what came when: equal
 * contents are cut equally, and a change touches the chunk that it is in. An item's place in the order must not
 * change while it is in.
 */
export class SortedChunks<T> {
  readonly chunks: Chunk<T>[] = [];
  size = 0;
  private readonly options: ChunkOptions<T>;

  constructor(options: ChunkOptions<T>) {
    this.options = options;
  }

  get first(): T | undefined {
    return this.chunks[0]?.items[0];
  }

  add(item: T): void {
    const { begins } = this.options;
    this.size++;
    const at = this.chunkAt(item);
    const chunk = this.chunks[at];
    if (!chunk) {
      // Before the first chunk: it goes on there, unless that one begins with an item of its own right.
      const next = this.chunks[0];
      if (next?.items[0] === undefined || begins(next.items[0])) {
        this.chunks.unshift(this.placed({ items: [item], notes: undefined }));
      } else {
        next.items.unshift(item);
        this.touch(next, item);
      }
      return;
    }
    const place = this.placeIn(chunk, item);
    if (begins(item)) {
      const rest = chunk.items.splice(place);
      chunk.notes = undefined;
      this.chunks.splice(at + 1, 0, this.placed({ items: [item, ...rest], notes: undefined }));
    } else {
      chunk.items.splice(place, 0, item);
      this.touch(chunk, item);
    }
  }

  delete(item: T): void {
    const at = this.chunkAt(item);
    const chunk = this.chunks[at];
    const place = chunk ? this.placeIn(chunk, item) - 1 : -1;
    if (!chunk || chunk.items[place] !== item) return;
    this.size--;
    chunk.items.splice(place, 1);
    chunk.notes = undefined;
    const before = this.chunks[at - 1];
    if (chunk.items.length === 0) this.chunks.splice(at, 1);
    else if (place === 0 && before) {
      for (const moved of chunk.items) before.items.push(moved);
      this.chunks.splice(at, 1);
      this.placed(before);
    }
  }

  *[Symbol.iterator](): Generator<T> {
    for (const chunk of this.chunks) yield* chunk.items;
  }

  /** The items from the first one on that is not before; `isBefore` holds for a beginning of the order. */
  *from(isBefore: (item: T) => boolean): Generator<T> {
    let at = upperBound(this.chunks, (chunk) => isBefore(chunk.items[0] as T)) - 1;
    for (at = Math.max(0, at); at < this.chunks.length; at++) {
      for (const item of this.chunks[at]?.items ?? []) if (!isBefore(item)) yield item;
    }
  }

  /** The last chunk whose first item is not after this one; -1 when all are. */
  private chunkAt(item: T): number {
    const { compare } = this.options;
    return upperBound(this.chunks, (chunk) => compare(chunk.items[0] as T, item) <= 0) - 1;
  }

  private placeIn(chunk: Chunk<T>, item: T): number {
    return upperBound(chunk.items, (other) => this.options.compare(other, item) <= 0);
  }

  private touch(chunk: Chunk<T>, item: T): void {
    chunk.notes = undefined;
    this.options.onPlaced?.(item, chunk);
  }

  private placed(chunk: Chunk<T>): Chunk<T> {
    chunk.notes = undefined;
    if (this.options.onPlaced) for (const item of chunk.items) this.options.onPlaced(item, chunk);
    return chunk;
  }
}

/** How many items of the beginning pass; the test holds for a beginning of the list. */
function upperBound<T>(items: readonly T[], test: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A whole number from 0 to 2^32 - 1 that goes with an id alone (FNV-1a). */
export function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
