/** Larger bodies are long work; what is sent while a run goes on is smaller. */
const LONG_BYTES = 64 * 1024;

export function isLong(bytes: number): boolean {
  return bytes > LONG_BYTES;
}

/** Long bodies are taken one after the other, those of each run in their order and the runs in turn. */
export class LongBodies {
  /** By run: those that wait, the run whose turn it is first. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private isBusy = false;

  /** @param key bodies of one key are taken in the order in which they came */
  async inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.isBusy) await this.turn(key);
    this.isBusy = true;
    try {
      return await work();
    } finally {
      this.next();
    }
  }

  private turn(key: string): Promise<void> {
    return new Promise((resolve) => {
      const line = this.waiting.get(key);
      if (line) line.push(resolve);
      else this.waiting.set(key, [resolve]);
    });
  }

  /** Whose turn it is now keeps others out. */
  private next(): void {
    for (const [key, line] of this.waiting) {
      const first = line.shift();
      this.waiting.delete(key);
      if (line.length > 0) this.waiting.set(key, line);
      if (first) return first();
    }
    this.isBusy = false;
  }
}
