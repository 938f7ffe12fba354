/** One of several who have a bound together. */
export interface Share {
  /** What it may have now. */
  readonly limit: number;
  /** It has more than before: whoever is above the limit makes room. */
  grew(): void;
  /** It is gone, and has nothing. */
  leave(): void;
}

export interface Sharer {
  /** What it has. */
  readonly used: () => number;
  /** Asked while it has more than it may. */
  readonly makeRoom: () => void;
}

/**
 * A bound that several have together. Each may have what the others leave, and at least its equal part: who has no more
 * than that is never asked to make room, whatever the others do. Alone it may have all.
 */
export class FairShares {
  readonly total: number;
  private readonly sharers = new Set<Sharer>();

  constructor(total: number) {
    this.total = total;
  }

  join(sharer: Sharer): Share {
    const limit = (): number => this.limitOf(sharer);
    this.sharers.add(sharer);
    return {
      get limit() {
        return limit();
      },
      grew: () => this.makeRoom(),
      leave: () => void this.sharers.delete(sharer),
    };
  }

  /** What somebody may have who is about to join. */
  get forNext(): number {
    return this.among(this.sharers.size + 1, this.used);
  }

  private get used(): number {
    let used = 0;
    for (const sharer of this.sharers) used += sharer.used();
    return used;
  }

  private limitOf(sharer: Sharer): number {
    return this.among(this.sharers.size, this.used - sharer.used());
  }

  private among(count: number, usedByOthers: number): number {
    return Math.floor(Math.max(this.total / count, this.total - usedByOthers));
  }

  private makeRoom(): void {
    if (this.sharers.size < 2 || this.used <= this.total) return;
    for (const sharer of this.sharers) if (sharer.used() > this.limitOf(sharer)) sharer.makeRoom();
  }
}
