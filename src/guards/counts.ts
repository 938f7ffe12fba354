/** How often each number is there. */
export class Counts {
  private readonly counts = new Map<number, number>();

  change(value: number, by: 1 | -1): void {
    const count = this.of(value) + by;
    if (count === 0) this.counts.delete(value);
    else this.counts.set(value, count);
  }

  of(value: number): number {
    return this.counts.get(value) ?? 0;
  }

  /** The greatest; 0 when there is none. */
  get most(): number {
    let most = 0;
    for (const value of this.counts.keys()) if (value > most) most = value;
    return most;
  }
}

/** The greatest of numbers that come and go; looked for anew only where the one that was it went. */
export class Greatest {
  private value = -Infinity;
  private isKnown = true;

  came(value: number): void {
    if (value < this.value) return;
    this.value = value;
    this.isKnown = true;
  }

  went(value: number): void {
    if (value === this.value) this.isKnown = false;
  }

  /** @param all what is there @returns -Infinity when there is none */
  among<T>(all: Iterable<T>, of: (one: T) => number): number {
    if (!this.isKnown) {
      this.value = -Infinity;
      for (const one of all) this.value = Math.max(this.value, of(one));
      this.isKnown = true;
    }
    return this.value;
  }
}
