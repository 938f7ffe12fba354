import type { Clock } from './clock.ts';

/** More names than a service has senders; of more those are known that came last. */
const MAX_NAMES = 1_000;

/** Who came within the last so many milliseconds. */
export class Recently {
  private readonly ms: number;
  private readonly clock: Pick<Clock, 'monotonic'>;
  /** When each last came, the longest ago first. */
  private readonly at = new Map<string, number>();

  constructor(ms: number, clock: Pick<Clock, 'monotonic'>) {
    this.ms = ms;
    this.clock = clock;
  }

  came(name: string): void {
    this.at.delete(name);
    this.at.set(name, this.clock.monotonic());
    this.forget();
  }

  get count(): number {
    this.forget();
    return this.at.size;
  }

  /** Did anybody but this one come? */
  hasOthersThan(name: string): boolean {
    return this.count > (this.at.has(name) ? 1 : 0);
  }

  private forget(): void {
    const since = this.clock.monotonic() - this.ms;
    for (const [name, at] of this.at) {
      if (at >= since && this.at.size <= MAX_NAMES) return;
      this.at.delete(name);
    }
  }
}
