import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { FULL_CODES } from '../../base/full-disk.ts';
import { STORE_REMOVED } from './database.ts';
import { sizeOf, type Row } from './rows.ts';
import { StoreFailure, type StoreThread } from './store-thread.ts';

/**
 * Bytes that may wait for the disk. About what a slow disk writes in a second; beyond it senders wait as well, so
 * that memory stays bounded.
 */
const MAX_UNWRITTEN_BYTES = 32 * 1024 * 1024;
/** So long a sender waits for room before it is told to come again: well below the ten seconds after which they give up. */
const MAX_WAIT_MS = 2000;
/** When a sender that was refused should come again. */
const RETRY_FULL_MS = 1000;
const RETRY_FAILED_MS = 5000;
/** Groups on their way to the other thread: while one is written the next is already there. */
const MAX_UNDER_WAY = 2;

/** Soon enough for a load balancer, and next to nothing for the disk. */
const PROBE_EVERY_MS = 2000;
/** The first probe asks for room for some requests; a failed group for as much as it had, up to a large request. */
const FIRST_PROBE_BYTES = 64 * 1024;
const MAX_PROBE_BYTES = 4 * 1024 * 1024;

interface Group {
  readonly rows: Row[];
  /** What it takes in memory, about. */
  bytes: number;
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Group commit: what comes while a group is being written is one group itself, so that a thousand small requests cost
 * a few writes.
 */
export class Appender {
  private readonly thread: StoreThread;
  private readonly clock: Clock;
  private group: Group | undefined;
  private underWay = 0;
  private unwritten = 0;
  private scheduled = false;
  private readonly waitingForRoom = new Set<() => void>();
  private failure: string | undefined;
  private readonly logger: Logger;
  private probeTimer: Timer | undefined;
  private isStopped = false;
  /** Bytes that the next probe must have room for. */
  private probeBytes = FIRST_PROBE_BYTES;

  /** Probes the disk at once and from then on. */
  constructor(thread: StoreThread, clock: Clock, logger: Logger) {
    this.thread = thread;
    this.clock = clock;
    this.logger = logger;
    void this.probe();
  }

  /** Why nothing can be written; undefined when it can. */
  get problem(): string | undefined {
    if (this.thread.gone) return 'the store has stopped: start the service again';
    return this.failure === undefined
      ? undefined
      : `the store cannot be written (${this.failure}): ${adviceOn(this.failure)}; what is sent is refused until it can`;
  }

  /** Probes no longer. */
  stop(): void {
    this.probeTimer?.cancel();
    this.probeTimer = undefined;
    this.isStopped = true;
  }

  /**
   * Puts rows into the group that is collected now; resolves when it is in the store.
   * @throws BoundaryError UNAVAILABLE, RESOURCE_EXHAUSTED: come again
   */
  async append(rows: readonly Row[]): Promise<void> {
    if (this.unwritten >= MAX_UNWRITTEN_BYTES) await this.room();
    return this.appendAtOnce(rows);
  }

  /** Like `append`, and whatever waits: what leaves memory has nowhere to wait. */
  appendAtOnce(rows: readonly Row[]): Promise<void> {
    const group = (this.group ??= this.newGroup());
    for (const row of rows) {
      group.rows.push(row);
      const bytes = sizeOf(row);
      group.bytes += bytes;
      this.unwritten += bytes;
    }
    this.schedule();
    return group.done;
  }

  /** Resolves when the group that is being collected has been written or refused. Never rejects. */
  async settled(): Promise<void> {
    await this.group?.done.catch(() => {});
  }

  /** Resolves when nothing is under way any more. */
  async flush(): Promise<void> {
    while (this.group || this.underWay > 0) {
      await this.group?.done.catch(() => {});
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  private newGroup(): Group {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Whoever appended is told; that nobody waits any more is no failure of its own.
    promise.catch(() => {});
    return { rows: [], bytes: 0, done: promise, resolve, reject };
  }

  private schedule(): void {
    if (this.scheduled || this.underWay >= MAX_UNDER_WAY) return;
    this.scheduled = true;
    // What else this turn of the event loop brings goes with it.
    setImmediate(() => {
      this.scheduled = false;
      this.send();
    });
  }

  private send(): void {
    const { group } = this;
    if (!group || this.underWay >= MAX_UNDER_WAY) return;
    this.group = undefined;
    this.underWay++;
    void this.write(group)
      .then(group.resolve, group.reject)
      .finally(() => {
        this.underWay--;
        this.unwritten -= group.bytes;
        this.makeRoom();
        if (this.group) this.schedule();
      });
  }

  private async write({ rows, bytes }: Group): Promise<void> {
    try {
      const written = this.thread.call('append', rows, this.clock.now());
      // The other thread has its own copy.
      rows.length = 0;
      await written;
      this.succeeded();
    } catch (error) {
      // A group that had no room says nothing about a smaller one, so the probe asks for as much.
      this.probeBytes = Math.min(bytes, MAX_PROBE_BYTES);
      this.failed(error);
      throw refusal(this.failure, error);
    }
  }

  /** Finds out without a sender whether the store can be written (again). Never rejects. */
  private async probe(): Promise<void> {
    try {
      await this.thread.call('probe', this.probeBytes);
      this.succeeded();
    } catch (error) {
      this.failed(error);
    }
    if (this.isStopped) return;
    this.probeTimer = this.clock.after(PROBE_EVERY_MS, () => void this.probe());
  }

  private succeeded(): void {
    this.probeBytes = 0;
    if (this.failure === undefined) return;
    this.failure = undefined;
    this.logger.info({}, 'the store can be written again: what is sent is taken in');
  }

  /** One line when it begins, however many are refused. */
  private failed(error: unknown): void {
    const wasWorking = this.failure === undefined;
    this.failure = error instanceof StoreFailure ? error.code : 'unknown';
    if (wasWorking && !this.thread.gone)
      this.logger.error({ code: this.failure }, `the store cannot be written: ${adviceOn(this.failure)}`);
  }

  private room(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = this.clock.after(MAX_WAIT_MS, () => {
      const message = 'the disk does not keep up with what is sent: send again later';
      reject(new BoundaryError('RESOURCE_EXHAUSTED', message, { retryAfterMs: RETRY_FULL_MS }));
    });
    this.waitingForRoom.add(resolve);
    return promise.finally(() => {
      timer.cancel();
      this.waitingForRoom.delete(resolve);
    });
  }

  private makeRoom(): void {
    if (this.unwritten >= MAX_UNWRITTEN_BYTES) return;
    for (const go of this.waitingForRoom) go();
    this.waitingForRoom.clear();
  }
}

function adviceOn(code: string): string {
  if (FULL_CODES.has(code)) return 'the disk is full, make room';
  // SQLite does not say what the system did: a limit of the size of files comes so.
  if (code === 'EIO') return 'the disk is full or fails, make room';
  if (code === STORE_REMOVED || code === 'ENOENT')
    return 'its files were removed while the service runs, put them back or start the service again';
  return 'the system refuses, see the code';
}

function refusal(code = 'unknown', cause?: unknown): BoundaryError {
  const message = `what was sent could not be stored (${code}): ${adviceOn(code)}; send it again later`;
  return new BoundaryError('UNAVAILABLE', message, { retryAfterMs: RETRY_FAILED_MS, cause });
}
