import type { ReceiverLimits } from './config.ts';

/** The bounds of what one request brings, and how far they are used up. */
export class Bounds {
  readonly limits: ReceiverLimits;
  /** Texts that were cut. */
  textsCut = 0;
  private valuesLeft: number;

  constructor(limits: ReceiverLimits) {
    this.limits = limits;
    this.valuesLeft = limits.maxValues;
  }

  /** Takes one value from the request's allowance. */
  takeValue(): boolean {
    return this.takeValues(1);
  }

  /** The same for many at once, all or none. */
  takeValues(count: number): boolean {
    if (this.valuesLeft < count) return false;
    this.valuesLeft -= count;
    return true;
  }
}
