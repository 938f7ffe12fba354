import type { Clock } from '../../base/clock.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { CellRing } from './cell-ring.ts';

/** Streams that are remembered: at 100 thoughts a second, a quarter of an hour of them. About 20 MB. */
const MAX_STREAMS = 100_000;
/**
 * Milliseconds for which a thought that is over is remembered, as its sender may have to send the end again; and for which
 * one waits whose cell is none any more, as it holds up all that is sent with it.
 */
const WAIT_MS = 10 * 60_000;
/** For which one is remembered of which nothing more came: then it goes on as a new one. */
const SILENCE_MS = 60 * 60_000;
const RETRY_AFTER_MS = 5_000;

interface Home {
  readonly cell: string;
  /** Clock.monotonic() when its last entry came. */
  readonly touchedAt: number;
  readonly isFinal: boolean;
}

/**
 * Which cell has which thought. A secret may be cut over the pieces of a stream, and only who has all of them can hide it:
 * so a stream stays where its first piece went, also when a later one names a trace, and when cells come and go. The one
 * that was touched longest ago is forgotten when there are too many.
 */
export class StreamHomes {
  private readonly homes = new Map<string, Home>();
  private readonly clock: Clock;
  private readonly most: number;

  constructor(clock: Clock, most = MAX_STREAMS) {
    this.clock = clock;
    this.most = most;
  }

  get size(): number {
    return this.homes.size;
  }

  /** The cell of a stream that is known, whether it is there or not. */
  known(stream: string): string | undefined {
    return this.homeOf(stream)?.cell;
  }

  /**
   * The cell of a stream, which is remembered for all of its entries from now on.
   * @param stream the name of it, which is its own
   * @param first where a new one goes
   * @throws BoundaryError UNAVAILABLE when its cell is none of these any more: it is not continued elsewhere
   */
  cellOf(stream: string, first: string, isFinal: boolean, ring: CellRing): string {
    const touchedAt = this.clock.monotonic();
    const known = this.homeOf(stream);
    const isHomeless = known !== undefined && !ring.has(known.cell);
    if (isHomeless && touchedAt - known.touchedAt < WAIT_MS) throw homeless();
    const home = isHomeless ? undefined : known;
    const cell = home?.cell ?? first;
    this.remember(stream, { cell, touchedAt, isFinal: isFinal || home?.isFinal === true });
    return cell;
  }

  private homeOf(stream: string): Home | undefined {
    const home = this.homes.get(stream);
    if (!home) return undefined;
    if (this.clock.monotonic() - home.touchedAt < (home.isFinal ? WAIT_MS : SILENCE_MS)) return home;
    this.homes.delete(stream);
    return undefined;
  }

  private remember(stream: string, home: Home): void {
    // To the end, so that the first one is the one that was touched longest ago.
    this.homes.delete(stream);
    this.homes.set(stream, home);
    if (this.homes.size <= this.most) return;
    const [oldest] = this.homes.keys();
    if (oldest !== undefined) this.homes.delete(oldest);
  }
}

function homeless(): BoundaryError {
  return new BoundaryError(
    'UNAVAILABLE',
    'the cell that has the beginning of this thought is away; send again later',
    { retryAfterMs: RETRY_AFTER_MS },
  );
}
