import { BoundaryError } from './boundary-error.ts';

/** At most so many do something at the same time; the others wait, in the order of coming. */
export class Slots {
  private readonly most: number;
  private readonly mostWaiting: number;
  private readonly refusal: string;
  private taken = 0;
  /** By ticket: what lets it begin. */
  private readonly waiting = new Map<object, () => void>();

  /** @param refusal said to whoever asks when too many wait */
  constructor(most: number, mostWaiting: number, refusal: string) {
    this.most = most;
    this.mostWaiting = mostWaiting;
    this.refusal = refusal;
  }

  /**
   * @param ticket names who asks
   * @returns resolves when it may begin; undefined if that is now
   * @throws BoundaryError RESOURCE_EXHAUSTED when too many wait
   */
  take(ticket: object): Promise<void> | undefined {
    if (this.taken < this.most) {
      this.taken++;
      return undefined;
    }
    if (this.waiting.size >= this.mostWaiting) {
      throw new BoundaryError('RESOURCE_EXHAUSTED', this.refusal, { retryAfterMs: 1000 });
    }
    return new Promise((resolve) => this.waiting.set(ticket, resolve));
  }

  /** The holder of this ticket is done, or waits no longer. */
  free(ticket: object): void {
    if (this.waiting.delete(ticket)) return;
    const [next] = this.waiting;
    // A slot that somebody waits for goes from hand to hand: as many are taken as before.
    if (!next) {
      this.taken--;
      return;
    }
    this.waiting.delete(next[0]);
    next[1]();
  }
}
