/** Which is the rightmost column of those steps that had ended at a given time. */
export class EndedColumns {
  /** By time, ascending. */
  private readonly ends: number[] = [];
  /** The rightmost column until then. */
  private readonly last: number[] = [];

  constructor(known: readonly (readonly [end: number, col: number])[]) {
    for (const [end, col] of [...known].sort(([a], [b]) => a - b)) {
      this.ends.push(end);
      this.last.push(Math.max(col, this.last.at(-1) ?? col));
    }
  }

  add(end: number, col: number): void {
    const at = this.countBefore(end);
    this.ends.splice(at, 0, end);
    this.last.splice(at, 0, Math.max(col, this.last[at - 1] ?? col));
    for (let i = at + 1; i < this.last.length && (this.last[i] ?? col) < col; i += 1) this.last[i] = col;
  }

  /** Undefined where none had ended before. */
  lastBefore(time: number): number | undefined {
    return this.last[this.countBefore(time) - 1];
  }

  private countBefore(time: number): number {
    let low = 0;
    let high = this.ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.ends[middle] ?? 0) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
