import type { Clock } from '../../base/clock.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { CellRing } from './cell-ring.ts';

/** Streams that are remembered: at 100 thoughts a second, a quarter of an hour of them. About 20 MB. */
const MAX_STREAMS = 100_000;
/** Milliseconds for which a thought that is over is remembered: its sender may have to send the end again. */
const AFTER_FINAL_MS = 10 * 60_000;
/** And one of which nothing more came: a thought that is silent for so long goes on as a new one. */
const AFTER_SILENCE_MS = 60 * 60_000;
const RETRY_AFTER_MS = 5_000;

interface Home {
  readonly cell: string;
  until: number;
  isFinal: boolean;
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
  known(requestId: string): string | undefined {
    const home = this.homes.get(requestId);
    if (home === undefined) return undefined;
    if (home.until > this.clock.monotonic()) return home.cell;
    this.homes.delete(requestId);
    return undefined;
  }

  /**
   * The cell of a stream, which is remembered for all of its entries from now on.
   * @param key where a new one goes
   * @throws BoundaryError UNAVAILABLE when its cell is none of these any more: it is not continued elsewhere
   */
  cellOf(requestId: string, key: Buffer | string, isFinal: boolean, ring: CellRing): string {
    const cell = this.known(requestId) ?? ring.of(key);
    if (!ring.has(cell)) throw homeless();
    const wasFinal = this.homes.get(requestId)?.isFinal === true;
    this.remember(requestId, { cell, isFinal: isFinal || wasFinal, until: 0 });
    return cell;
  }

  private remember(requestId: string, home: Home): void {
    home.until = this.clock.monotonic() + (home.isFinal ? AFTER_FINAL_MS : AFTER_SILENCE_MS);
    // To the end, so that the first one is the one that was touched longest ago.
    this.homes.delete(requestId);
    this.homes.set(requestId, home);
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
