import type { ServerResponse } from 'node:http';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import { whoMakesRoom } from '../../base/who-makes-room.ts';

/** At once: each holds what it is made of until its reader has taken it, some MB for a graph of 100,000 nodes. */
export const MAX_LARGE_ANSWERS = 32;
/** A reader that took nothing for so long makes room for others: a piece takes milliseconds on a working network. */
export const STALLED_MS = 2_000;
/** Who still reads after so long makes room as well, or a piece every second would keep a place for hours. */
export const MAX_AWAITED_MS = 60_000;

/** Answers that are made piece by piece as their readers take them. */
export class LargeAnswers {
  private readonly clock: Pick<Clock, 'monotonic'>;
  /** When a piece of each was last taken, in milliseconds; the longest ago first. */
  private readonly lastTaken = new Map<ServerResponse, number>();
  /** When each began; the eldest first. */
  private readonly begun = new Map<ServerResponse, number>();
  /** Who reads each; in the order of coming. */
  private readonly readers = new Map<ServerResponse, string>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.clock = clock;
  }

  /**
   * When too many are under way, the one that has stood still the longest is cut off, else the eldest, else one of who reads most.
   * @param who reads it
   * @throws BoundaryError RESOURCE_EXHAUSTED when none of them stands still, or is old, and nobody reads more
   */
  begin(response: ServerResponse, who: string): void {
    if (this.lastTaken.size >= MAX_LARGE_ANSWERS) this.makeRoom(who);
    this.readers.set(response, who);
    const now = this.clock.monotonic();
    this.lastTaken.set(response, now);
    this.begun.set(response, now);
  }

  /** A piece of it was taken. Of one that has ended meanwhile nothing is noted. */
  taken(response: ServerResponse): void {
    if (this.lastTaken.delete(response)) this.lastTaken.set(response, this.clock.monotonic());
  }

  end(response: ServerResponse): void {
    this.lastTaken.delete(response);
    this.begun.delete(response);
    this.readers.delete(response);
  }

  private makeRoom(who: string): void {
    const [stillest, eldest] = [first(this.lastTaken), first(this.begun)];
    const now = this.clock.monotonic();
    const isStalled = stillest && now - stillest[1] >= STALLED_MS;
    const victim = isStalled ? stillest : eldest && now - eldest[1] >= MAX_AWAITED_MS ? eldest : undefined;
    const goes = victim?.[0] ?? whoMakesRoom(this.readers, who);
    if (goes) {
      this.end(goes);
      goes.destroy();
      return;
    }
    throw new BoundaryError(
      'RESOURCE_EXHAUSTED',
      `${MAX_LARGE_ANSWERS} large answers are being read at this moment: ask again, or subscribe and take it in parts`,
      { retryAfterMs: 1000 },
    );
  }
}

function first<K, V>(map: ReadonlyMap<K, V>): readonly [K, V] | undefined {
  for (const entry of map) return entry;
  return undefined;
}
