/**
 * Bound of the intervals held. With more gaps than this the lowest intervals are dropped, and a repetition of those
 * sequences is taken for a new entry.
 */
const MAX_STRETCHES = 64;

/** The sequences of a thought that have arrived, as intervals `[from, to]` in ascending order. */
export class SeenSequences {
  private stretches: (readonly [from: number, to: number])[];

  /** @param flat as `flat` gives it */
  constructor(flat: readonly number[] = []) {
    this.stretches = [];
    for (let i = 0; i + 1 < flat.length; i += 2) this.stretches.push([flat[i] ?? 0, flat[i + 1] ?? 0]);
  }

  /** All bounds one after the other. */
  get flat(): readonly number[] {
    return this.stretches.flat();
  }

  get highest(): number | undefined {
    return this.stretches.at(-1)?.[1];
  }

  has(sequence: number): boolean {
    return this.stretches.some(
      ([from, to]) =>
        sequence === from || (sequence <= to && sequence > from && Number.isInteger(sequence - from)),
    );
  }

  add(sequence: number): void {
    const after = this.stretches.findIndex(([from]) => from > sequence);
    const at = after < 0 ? this.stretches.length : after;
    const [before, behind] = [this.stretches[at - 1], this.stretches[at]];
    const joins = before !== undefined && before[1] + 1 === sequence;
    const meets = behind !== undefined && behind[0] - 1 === sequence;
    const made = [joins ? before[0] : sequence, meets ? behind[1] : sequence] as const;
    this.stretches.splice(joins ? at - 1 : at, Number(joins) + Number(meets), made);
    if (this.stretches.length > MAX_STRETCHES) this.stretches.shift();
  }
}
