import type { ServerResponse } from 'node:http';
import { BoundaryError } from '../../../base/boundary-error.ts';
import type { Clock } from '../../../base/clock.ts';
import { whoMakesRoom } from '../../../base/who-makes-room.ts';

/** At once: each holds what it knows of its task's nodes, some MB for a task of 100,000. */
export const MAX_RUNS = 100;
/** Whose reader took nothing of what waits for it for so long makes room for others. */
export const STALLED_MS = 2_000;

interface RunStream {
  /** Ends it with a word to its reader. */
  close(reason: string): void;
}

/** The answers by which runs of AG-UI are being read. */
export class RunStreams {
  private readonly clock: Pick<Clock, 'monotonic'>;
  private readonly runs = new Map<ServerResponse, RunStream>();
  /** Since when their readers let something wait, in milliseconds; the longest first. */
  private readonly waiting = new Map<ServerResponse, number>();
  /** On whose behalf each is read, in the order of coming. */
  private readonly readers = new Map<ServerResponse, string>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.clock = clock;
  }

  get size(): number {
    return this.runs.size;
  }

  /**
   * When there are too many, the one whose reader stands still the longest is cut off, else one of who reads most.
   * @param who reads it @throws BoundaryError RESOURCE_EXHAUSTED when all are read, and nobody reads more
   */
  begin(response: ServerResponse, run: RunStream, who: string): void {
    if (this.runs.size >= MAX_RUNS) this.makeRoom(who);
    this.runs.set(response, run);
    this.readers.set(response, who);
    response.once('close', () => this.end(response));
  }

  /** Something waits for its reader, or not any more. */
  waits(response: ServerResponse, isWaiting: boolean): void {
    if (!isWaiting) this.waiting.delete(response);
    else if (this.runs.has(response)) this.waiting.set(response, this.clock.monotonic());
  }

  /** All end: their readers are told why. */
  close(reason: string): void {
    for (const run of this.runs.values()) run.close(reason);
  }

  private end(response: ServerResponse): void {
    this.runs.delete(response);
    this.waiting.delete(response);
    this.readers.delete(response);
  }

  private makeRoom(who: string): void {
    const [stillest] = this.waiting;
    const isStalled = stillest !== undefined && this.clock.monotonic() - stillest[1] >= STALLED_MS;
    const goes = isStalled ? stillest[0] : whoMakesRoom(this.readers, who);
    if (goes) {
      this.end(goes);
      goes.destroy();
      return;
    }
    throw new BoundaryError(
      'RESOURCE_EXHAUSTED',
      `${MAX_RUNS} runs are being read over AG-UI at this moment: ask again later`,
      { retryAfterMs: 1000 },
    );
  }
}
