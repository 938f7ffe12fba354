import type { Clock } from './clock.ts';

/**
 * Of a turn of the event loop so much may go to long work, in milliseconds: with what else comes in the same turn it
 * stays below the fifty that anybody may have to wait.
 */
const TURN_MS = 10;

/** Which line to rest in: that of what takes in and answers, or that of what follows it and makes room for it. */
export type Line = 'intake' | 'upkeep';

/**
 * Long work in pieces, so that whatever else is to be done has its turn between them. One is shared by all stages, since
 * what they do in one turn adds up. Work looks at `isOver` between steps of well under a millisecond, and rests when it is.
 */
export class Pace {
  private readonly clock: Pick<Clock, 'monotonic'>;
  private readonly later: (task: () => void) => void;
  private readonly resting: Readonly<Record<Line, (() => void)[]>> = { intake: [], upkeep: [] };
  private next: Line = 'intake';
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

  /**
   * Resolves in a later turn: one after the other, in the order in which they came to rest. Each line has every other turn,
   * so that upkeep keeps up, however many take in.
   */
  rest(line: Line = 'intake'): Promise<void> {
    if (this.began === undefined) this.begin(this.clock.monotonic());
    return new Promise((resolve) => this.resting[line].push(resolve));
  }

  private begin(now: number): void {
    this.began = now;
    this.later(() => this.nextTurn());
  }

  private nextTurn(): void {
    this.began = undefined;
    const other: Line = this.next === 'intake' ? 'upkeep' : 'intake';
    const goOn = this.resting[this.next].shift() ?? this.resting[other].shift();
    this.next = other;
    if (!goOn) return;
    this.begin(this.clock.monotonic());
    goOn();
  }
}
