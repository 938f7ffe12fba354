import type { Clock, Timer } from '../base/clock.ts';
import type { CotText } from '../model/facts.ts';
import type { CotRecord } from '../model/records.ts';
import { CotStream } from './cot-stream.ts';
import type { Engine } from './engine.ts';
import { WITHHELD } from './marker.ts';
import type { RecordWalker } from './record-walker.ts';
import type { BatchReport } from './report.ts';

/** Raw characters of one stream; a longer one goes on as a new part. A thought of 250,000 tokens fits. */
const MAX_STREAM_SIZE = 1024 * 1024;
/** Of all open streams together; beyond it the longest silent ones are closed. */
const MAX_TOTAL_SIZE = 64 * 1024 * 1024;
/** What an entry costs besides its text. */
const ENTRY_SIZE = 64;
/** After this silence the held-back end is shown: the writer may be thinking, the reader should not wait. */
const QUIET_MS = 2_000;
/** After this silence the raw text is forgotten. */
const CLOSE_MS = 60_000;
/** Closed streams whose part is remembered, so that the next part has another one. */
const MAX_CLOSED = 10_000;

export interface StreamsOptions {
  /** undefined: nothing is redacted and nothing is held back. */
  readonly engine: Engine | undefined;
  readonly walker: RecordWalker;
  readonly report: BatchReport;
  readonly clock: Clock;
  readonly reorderWindowMs: number;
  /** Takes what changed without a batch. Handles its own failures. */
  readonly emit: (streams: readonly CotStream[]) => void;
}

interface Timers {
  idle?: Timer;
  gap?: Timer;
}

/** The open chain-of-thought streams, by raw request id: the only place that holds text before its redaction. */
export class CotStreams {
  private readonly options: StreamsOptions;
  private readonly streams = new Map<string, CotStream>();
  private readonly timers = new WeakMap<CotStream, Timers>();
  private readonly closedParts = new Map<string, number>();
  private totalSize = 0;

  constructor(options: StreamsOptions) {
    this.options = options;
  }

  get openCount(): number {
    return this.streams.size;
  }

  /** @returns the streams that the entry changed, among them those that had to be closed for it */
  add(entry: CotRecord): readonly CotStream[] {
    const size = sizeOf(entry);
    const changed: CotStream[] = [];
    let stream = this.streams.get(entry.requestId);
    if (stream && stream.size + size > MAX_STREAM_SIZE) {
      changed.push(this.close(stream));
      stream = undefined;
    }
    stream ??= this.open(entry.requestId);
    if (!stream.add(entry, size, this.options.clock.monotonic())) {
      return stream.isDirty ? [...changed, stream] : changed;
    }
    this.totalSize += size;
    // The most recently used stands last.
    this.streams.delete(entry.requestId);
    this.streams.set(entry.requestId, stream);
    this.watch(stream);
    if (stream.size > MAX_STREAM_SIZE) this.close(stream);
    changed.push(stream);
    for (const other of this.streams.values()) {
      if (this.totalSize <= MAX_TOTAL_SIZE || other === stream) break;
      changed.push(this.close(other));
    }
    return changed;
  }

  /** What is to be shown of a stream now. Fails closed: what can't be redacted is withheld. */
  show(stream: CotStream): CotText {
    const { walker, report, engine } = this.options;
    const requestId = engine ? walker.requestId(stream.requestId) : stream.requestId;
    stream.shownAs = requestId;
    const shared = (value: string, field: string): string => walker.text(value, field);
    report.field = 'text';
    report.member = '';
    try {
      return stream.show(requestId, shared);
    } catch {
      report.failed();
      return stream.withheld(requestId, WITHHELD);
    }
  }

  /** Releases everything held back, of one request or of all. @returns the streams that this changes */
  flush(requestId?: string): readonly CotStream[] {
    const streams = requestId === undefined ? [...this.streams.values()] : [this.streams.get(requestId)];
    return streams
      .filter((stream) => stream !== undefined)
      .filter((stream) => stream.release() || stream.isDirty);
  }

  /** Forgets the raw text of these requests, by their redacted ids: what comes of them later is a new part. */
  forget(isMeant: (safeRequestId: string) => boolean): void {
    for (const stream of this.streams.values())
      if (stream.shownAs !== undefined && isMeant(stream.shownAs)) this.close(stream);
  }

  /** Forgets all raw text. */
  dispose(): void {
    for (const stream of this.streams.values()) this.close(stream);
  }

  private open(requestId: string): CotStream {
    const { clock, engine, report } = this.options;
    const part = Math.max(clock.now(), (this.closedParts.get(requestId) ?? 0) + 1);
    const stream = new CotStream(requestId, part, engine, report, clock.monotonic());
    this.streams.set(requestId, stream);
    this.timers.set(stream, { idle: clock.after(QUIET_MS, () => this.onIdle(stream)) });
    return stream;
  }

  private close(stream: CotStream): CotStream {
    stream.release();
    const timers = this.timers.get(stream);
    timers?.idle?.cancel();
    timers?.gap?.cancel();
    this.totalSize -= stream.size;
    this.streams.delete(stream.requestId);
    const oldest = this.closedParts.keys().next();
    if (this.closedParts.size >= MAX_CLOSED && !oldest.done) this.closedParts.delete(oldest.value);
    this.closedParts.set(stream.requestId, stream.part);
    return stream;
  }

  private watch(stream: CotStream): void {
    const timers = this.timers.get(stream) ?? {};
    if (timers.gap || !stream.hasGap()) return;
    if (this.options.reorderWindowMs === 0) return stream.releaseGap();
    timers.gap = this.options.clock.after(this.options.reorderWindowMs, () => {
      delete timers.gap;
      if (!stream.hasGap()) return;
      stream.releaseGap();
      this.options.emit([stream]);
    });
  }

  /** One timer a stream, however many entries come: it looks again when there was one meanwhile. */
  private onIdle(stream: CotStream): void {
    const { clock, emit } = this.options;
    const silence = clock.monotonic() - stream.lastActivity;
    if (silence >= CLOSE_MS) {
      this.close(stream);
      if (stream.isDirty) emit([stream]);
      return;
    }
    if (silence >= QUIET_MS && (stream.release() || stream.isDirty)) emit([stream]);
    const wait = silence >= QUIET_MS ? CLOSE_MS - silence : QUIET_MS - silence;
    const timers = this.timers.get(stream);
    if (timers) timers.idle = clock.after(wait, () => this.onIdle(stream));
  }
}

function sizeOf(entry: CotRecord): number {
  const tokens = entry.tokens?.reduce((sum, token) => sum + token.length, 0) ?? 0;
  return ENTRY_SIZE + (entry.text?.length ?? 0) + tokens + (entry.summary?.length ?? 0);
}
