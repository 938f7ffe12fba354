/** What one answer holds. */
export interface AnswerShare {
  /** So much more of it is made. @returns what it has to wait for before more of it is; nothing for one that is over */
  add(bytes: number): Promise<void> | undefined;
  /** The answer was read, or nobody waits for it any more. */
  close(): void;
}

/** An answer that holds no more than this part of the bound waits for nobody: eight of them are an eighth more. */
const SMALL_PART = 1 / 64;

/**
 * Bytes of answers that are held whole until they are read. When they are more than `max`, those that are being made wait until
 * others are read, but for the eldest, so that one of any size comes to its end, and for small ones.
 */
export class AnswerBytes {
  private readonly max: number;
  /** By the time at which they began to hold something. */
  private readonly held = new Map<AnswerShare, number>();
  private total = 0;
  private waiting = 0;
  private freed = Promise.withResolvers<void>();

  constructor(max: number) {
    this.max = max;
  }

  /** Somebody waits until others are read. */
  get isAwaited(): boolean {
    return this.waiting > 0;
  }

  open(): AnswerShare {
    let isClosed = false;
    const share: AnswerShare = {
      add: (bytes) => {
        if (isClosed) return undefined;
        this.count(share, bytes);
        return this.mayGoOn(share) ? undefined : this.turnOf(share, () => isClosed);
      },
      close: () => {
        isClosed = true;
        this.count(share, -(this.held.get(share) ?? 0));
        this.held.delete(share);
        this.freed.resolve();
        this.freed = Promise.withResolvers();
      },
    };
    return share;
  }

  private count(share: AnswerShare, bytes: number): void {
    this.held.set(share, (this.held.get(share) ?? 0) + bytes);
    this.total += bytes;
  }

  private mayGoOn(share: AnswerShare): boolean {
    const [eldest] = this.held.keys();
    const isSmall = (this.held.get(share) ?? 0) <= this.max * SMALL_PART;
    return this.total <= this.max || share === eldest || isSmall;
  }

  private async turnOf(share: AnswerShare, isClosed: () => boolean): Promise<void> {
    this.waiting++;
    while (!isClosed() && !this.mayGoOn(share)) await this.freed.promise;
    this.waiting--;
  }
}
