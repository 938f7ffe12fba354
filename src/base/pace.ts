import type { Clock } from './clock.ts';

/**
 * Of a turn of the event loop so much may go to long work, in milliseconds: with what else comes in the same turn it
 * stays below the fifty that anybody may have to wait.
 */
const TURN_MS = 10;
/** Work that rested more often is long: who sends or asks for little need not wait for all who do for much. */
const SHORT_TURNS = 4;
/**
 * What a reader asks for has so much of a turn when it goes on for the first time, in milliseconds: among hundreds who ask
 * for much at once, who asks for little is found after a part of a second.
 */
const FIRST_MS = 1;

/**
 * Turns that long work leaves out while connections come. The event loop accepts one a turn from each port: behind long
 * work in every turn a crowd of a hundred would wait for seconds to be let in. More would make those wait who are in.
 */
const MAX_TURNS_LEFT_OUT = 3;

/** What takes in, little and much; what follows it and makes room for it; what readers ask for, not begun yet, little and much. They take turns. */
const LINES = ['intake', 'longIntake', 'upkeep', 'first', 'short', 'long'] as const;
export type Line = (typeof LINES)[number];

/** How long work is cut: it looks at `isOver` between steps of well under a millisecond, and rests when it is. */
export interface Turns {
  /** Has long work had its share of this turn of the event loop? */
  readonly isOver: boolean;
  /**
   * Resolves in a later turn of the event loop. Each turn belongs to one line: those who rest in it go on one after the
   * other, in the order in which they came, until the turn is over.
   * @param rested how often the same work did before; often if absent
   */
  rest(rested?: number): Promise<void>;
}

/**
 * Long work in pieces, so that whatever else is to be done has its turn between them. One is shared by all stages, since
 * what they do in one turn adds up. By itself it is the line of what takes in.
 */
export class Pace implements Turns {
  private readonly clock: Pick<Clock, 'monotonic'>;
  private readonly later: (task: () => void) => void;
  private readonly resting: Readonly<Record<Line, (() => void)[]>> = {
    intake: [],
    longIntake: [],
    upkeep: [],
    first: [],
    short: [],
    long: [],
  };
  private next = 0;
  /** When long work began in this turn; undefined when none did. */
  private began: number | undefined;
  /** When what goes on has to rest, though the turn is not over. */
  private restAt = Infinity;
  /** Was a connection taken since the last turn? */
  private hasTaken = false;
  private leftOut = 0;

  /** @param later runs a task in the next turn of the event loop */
  constructor(clock: Pick<Clock, 'monotonic'>, later: (task: () => void) => void = setImmediate) {
    this.clock = clock;
    this.later = later;
  }

  get isOver(): boolean {
    const now = this.clock.monotonic();
    if (this.began === undefined) this.begin(now);
    return now >= this.restAt || now - (this.began ?? now) >= TURN_MS;
  }

  rest(rested = SHORT_TURNS): Promise<void> {
    return this.restIn(rested < SHORT_TURNS ? 'intake' : 'longIntake');
  }

  /** The same turns, resting in another line: each has its share of them, however many rest in others. */
  of(who: 'upkeep' | 'readers'): Turns {
    const isOver = (): boolean => this.isOver;
    const lineAfter = (rested: number): Line => {
      if (rested === 0) return 'first';
      return rested < SHORT_TURNS ? 'short' : 'long';
    };
    return {
      get isOver() {
        return isOver();
      },
      rest: (rested = SHORT_TURNS) => this.restIn(who === 'upkeep' ? who : lineAfter(rested)),
    };
  }

  /** A connection was taken: others may wait behind it. */
  connectionTaken(): void {
    this.hasTaken = true;
  }

  protected restIn(line: Line): Promise<void> {
    if (this.began === undefined) this.begin(this.clock.monotonic());
    return new Promise((resolve) => this.resting[line].push(resolve));
  }

  private begin(now: number): void {
    this.began = now;
    this.later(() => this.nextTurn());
  }

  private nextTurn(): void {
    this.began = undefined;
    const isLeftOut = this.hasTaken && this.leftOut < MAX_TURNS_LEFT_OUT;
    this.hasTaken = false;
    this.leftOut = isLeftOut ? this.leftOut + 1 : 0;
    if (isLeftOut) return this.begin(this.clock.monotonic());
    for (const offset of LINES.keys()) {
      const place = (this.next + offset) % LINES.length;
      const name = LINES[place] ?? 'intake';
      const line = this.resting[name];
      if (line.length === 0) continue;
      this.next = place + 1;
      this.begin(this.clock.monotonic());
      this.goOn(line, line.length, name === 'first' ? FIRST_MS : Infinity);
      return;
    }
  }

  /** The first of the line goes on; and when it has nothing to do at once, the next one, while the turn is not over. */
  private goOn(line: (() => void)[], left: number, eachMs: number): void {
    const first = left > 0 ? line.shift() : undefined;
    if (!first) return;
    this.restAt = this.clock.monotonic() + eachMs;
    first();
    whenDone(() => {
      this.restAt = Infinity;
      if (!this.isOver) this.goOn(line, left - 1, eachMs);
    });
  }
}

/** Turns of one piece of work, which counts how often it rested: `rest` is called without a number. */
export function counted(turns: Turns): Turns {
  let rested = 0;
  return withRest(turns, () => turns.rest(rested++));
}

/** Turns of work that many wait for: it is short however long it takes. */
export function short(turns: Turns): Turns {
  return withRest(turns, () => turns.rest(1));
}

function withRest(turns: Turns, rest: () => Promise<void>): Turns {
  return {
    get isOver() {
      return turns.isOver;
    },
    rest,
  };
}

/** Runs a task when all that was to be done at once is done: Node looks for ticks when no microtasks are left. */
function whenDone(task: () => void): void {
  queueMicrotask(() => process.nextTick(task));
}
