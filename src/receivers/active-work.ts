import { BoundaryError } from '../base/boundary-error.ts';

/** Counts the running requests of a server and tells when none is left. */
export class ActiveWork {
  private running = 0;
  private closing = false;
  private readonly waiting: (() => void)[] = [];

  get draining(): boolean {
    return this.closing;
  }

  /** @throws BoundaryError UNAVAILABLE once draining has begun */
  check(): void {
    if (this.closing) {
      throw new BoundaryError('UNAVAILABLE', 'the service is shutting down; send again later or elsewhere');
    }
  }

  /** @throws BoundaryError UNAVAILABLE once draining has begun; else what `work` throws */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.check();
    this.running++;
    try {
      return await work();
    } finally {
      this.running--;
      if (this.running === 0) for (const wake of this.waiting.splice(0)) wake();
    }
  }

  /** Refuses new work from now on; resolves when what runs has finished. */
  drain(): Promise<void> {
    this.closing = true;
    if (this.running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.waiting.push(resolve);
    });
  }
}
