import type { Clock } from './clock.ts';

/**
 * Of a turn of the event loop so much may go to long work, in milliseconds: with what else comes in the same turn it
 * stays below the fifty that anybody may have to wait.
 */
const TURN_MS = 10;

/**
 * Long work in pieces, so that whatever else is to be done has its turn between them. One is shared by all stages, since
 * what they do in one turn adds up. Work looks at `isOver` between steps of well under a millisecond, and rests when it is.
 */
export class Pace {
  private readonly clock: Pick<Clock, 'monotonic'>;
  private readonly later: (task: () => void) => void;
  private readonly resting: (() => void)[] = [];
  /** When long work began in this turn; undefined when none did. */
  private began: number | undefined;

  /** @param later runs a task in the next turn of the event loop */
  constructor(clock: Pick<Clock, 'monotonic'>, later: (task: () => void) => void = setImmediate) {
    this.clock = clock;
    this.later = later;
  }

  /** Has long work had its share of this turn? */
  get isOver(): boolean {
    const now = this.clock.monotonic();
    if (this.began === undefined) this.begin(now);
    return now - (this.began ?? now) >= TURN_MS;
  }

  /** Resolves in a later turn: one after the other, in the order in which they came to rest. */
  rest(): Promise<void> {
    if (this.began === undefined) this.begin(this.clock.monotonic());
    return new Promise((resolve) => this.resting.push(resolve));
  }

  private begin(now: number): void {
    this.began = now;
    this.later(() => this.nextTurn());
  }

  private nextTurn(): void {
    this.began = undefined;
    const next = this.resting.shift();
    if (!next) return;
    this.begin(this.clock.monotonic());
    next();
  }
}
