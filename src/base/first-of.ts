/** Up to so many are gone through to find a place: for a few, a map and a list with room to grow take several times what they do. */
const FEW = 16;

/**
 * Items of which the first by an order is at hand, however many come and go: a binary heap that knows where each item is.
 * While an item is in it, nothing may change by which it is compared.
 */
export class FirstOf<T extends object> {
  private heap: T[] = [];
  /** Of more than `FEW`. */
  private places: Map<T, number> | undefined;
  private readonly isBefore: (a: T, b: T) => boolean;

  /** @param isBefore a total order */
  constructor(isBefore: (a: T, b: T) => boolean) {
    this.isBefore = isBefore;
  }

  get size(): number {
    return this.heap.length;
  }

  get first(): T | undefined {
    return this.heap[0];
  }

  add(item: T): void {
    if (this.placeOf(item) !== undefined) return;
    const end = this.heap.length;
    if (end < FEW) this.heap = this.heap.concat(item);
    else this.places ??= new Map(this.heap.map((held, place) => [held, place]));
    this.rise(item, end);
  }

  delete(item: T): void {
    const place = this.placeOf(item);
    if (place === undefined) return;
    this.places?.delete(item);
    const last = this.heap.pop();
    if (last !== undefined && last !== item) this.rise(last, this.sink(last, place));
  }

  /** Puts an item at a place, or further up, below the last that is before it. */
  private rise(item: T, place: number): void {
    let at = place;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.heap[above];
      if (parent === undefined || !this.isBefore(item, parent)) break;
      this.put(parent, at);
      at = above;
    }
    this.put(item, at);
  }

  /** @returns the place for an item, from this one down: those below that are before it have moved up */
  private sink(item: T, place: number): number {
    let at = place;
    for (;;) {
      let below = 2 * at + 1;
      let child = this.heap[below];
      const other = this.heap[below + 1];
      if (child !== undefined && other !== undefined && this.isBefore(other, child)) {
        below++;
        child = other;
      }
      if (child === undefined || !this.isBefore(child, item)) return at;
      this.put(child, at);
      at = below;
    }
  }

  private placeOf(item: T): number | undefined {
    if (this.places) return this.places.get(item);
    const place = this.heap.indexOf(item);
    return place < 0 ? undefined : place;
  }

  private put(item: T, place: number): void {
    this.heap[place] = item;
    this.places?.set(item, place);
  }
}
