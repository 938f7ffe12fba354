import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import { FrameWriter } from './frame-writer.ts';
import { LogFailure, type LogThread } from './log-thread.ts';

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

interface Group {
  readonly writer: FrameWriter;
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Group commit: what comes while a group is being written is one group itself, so that a thousand small requests cost
 * a few writes.
 */
export class Appender {
  private readonly thread: LogThread;
  private readonly clock: Clock;
  private group: Group | undefined;
  private underWay = 0;
  private unwritten = 0;
  private scheduled = false;
  private readonly spares: ArrayBuffer[] = [];
  private readonly waitingForRoom = new Set<() => void>();
  private failure: string | undefined;

  constructor(thread: LogThread, clock: Clock) {
    this.thread = thread;
    this.clock = clock;
  }

  /** Why nothing can be written; undefined when it can. */
  get problem(): string | undefined {
    if (this.thread.gone) return 'the log has stopped: start the service again';
    return this.failure === undefined
      ? undefined
      : `the log cannot be written (${this.failure}): what is sent is refused until it can`;
  }

  /**
   * Puts frames into the group that is collected now; resolves when it is in the log.
   * @throws BoundaryError UNAVAILABLE, RESOURCE_EXHAUSTED: come again
   */
  async append(write: (writer: FrameWriter) => void): Promise<void> {
    if (this.unwritten >= MAX_UNWRITTEN_BYTES) await this.room();
    const group = (this.group ??= this.newGroup());
    const before = group.writer.bytes;
    write(group.writer);
    this.unwritten += group.writer.bytes - before;
    this.schedule();
    return group.done;
  }

  /** Like `append`, and whatever waits: what leaves memory has nowhere to wait. */
  appendAtOnce(write: (writer: FrameWriter) => void): Promise<void> {
    const group = (this.group ??= this.newGroup());
    const before = group.writer.bytes;
    write(group.writer);
    this.unwritten += group.writer.bytes - before;
    this.schedule();
    return group.done;
  }

  /** Resolves when what was appended before is on its way, so that a call comes after it. Never rejects. */
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
    let resolve = (): void => {};
    let reject: Group['reject'] = () => {};
    const done = new Promise<void>((onDone, onFailed) => {
      resolve = onDone;
      reject = onFailed;
    });
    // Whoever appended is told; that nobody waits any more is no failure of its own.
    done.catch(() => {});
    return { writer: new FrameWriter(this.spares.pop()), done, resolve, reject };
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
    const frames = group.writer.take();
    const bytes = frames.length;
    void this.write(frames)
      .then(group.resolve, group.reject)
      .finally(() => {
        this.underWay--;
        this.unwritten -= bytes;
        this.makeRoom();
        if (this.group) this.schedule();
      });
  }

  private async write(frames: Buffer): Promise<void> {
    const buffer = frames.buffer as ArrayBuffer;
    try {
      const spare = await this.thread.call({ kind: 'append', frames, now: this.clock.now() }, [buffer]);
      this.failure = undefined;
      if (this.spares.length < MAX_UNDER_WAY) this.spares.push(spare as ArrayBuffer);
    } catch (error) {
      this.failure = error instanceof LogFailure ? error.code : 'unknown';
      throw refusal(error);
    }
  }

  private room(): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        timer.cancel();
        resolve();
      };
      const timer = this.clock.after(MAX_WAIT_MS, () => {
        this.waitingForRoom.delete(go);
        reject(
          new BoundaryError(
            'RESOURCE_EXHAUSTED',
            'the disk does not keep up with what is sent: send again later',
            {
              retryAfterMs: RETRY_FULL_MS,
            },
          ),
        );
      });
      this.waitingForRoom.add(go);
    });
  }

  private makeRoom(): void {
    if (this.unwritten >= MAX_UNWRITTEN_BYTES) return;
    for (const go of this.waitingForRoom) go();
    this.waitingForRoom.clear();
  }
}

function refusal(cause: unknown): BoundaryError {
  const message = 'what was sent could not be stored: send it again later';
  return new BoundaryError('UNAVAILABLE', message, { retryAfterMs: RETRY_FAILED_MS, cause });
}
