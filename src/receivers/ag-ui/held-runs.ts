/** Runs that bodies are changing, by key; with those that wait for each, in the order of coming. */
export type RunsInHands = Map<string, (() => void)[]>;

/**
 * The runs that one body changes are its own until it is taken: another body waits for those that it needs as well, and for
 * no others.
 */
export class HeldRuns {
  private readonly all: RunsInHands;
  private readonly own = new Set<string>();

  constructor(all: RunsInHands) {
    this.all = all;
  }

  get isEmpty(): boolean {
    return this.own.size === 0;
  }

  /** @returns whether it is this body's now: not when another one has it */
  take(key: string): boolean {
    if (this.own.has(key)) return true;
    if (this.all.has(key)) return false;
    this.all.set(key, []);
    this.own.add(key);
    return true;
  }

  /** Resolves when it is this body's. */
  wait(key: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.take(key)) return resolve();
      this.all.get(key)?.push(() => {
        this.own.add(key);
        resolve();
      });
    });
  }

  /** They are given to those that wait for them. */
  letGo(): void {
    for (const key of this.own) {
      const next = this.all.get(key)?.shift();
      if (next) next();
      else this.all.delete(key);
    }
    this.own.clear();
  }
}
