import type { Clock, Timer } from '../base/clock.ts';
import type { CotText } from '../model/facts.ts';
import { requestNodeId } from '../model/ids.ts';
import type { CotRecord } from '../model/records.ts';
import { clip, firstLine, MAX_NAME_CHARS, MAX_SUMMARY_CHARS } from '../model/one-line.ts';
import { withTail } from '../model/thought-text.ts';
import { ContextSeal } from './context-seal.ts';
import { CotStream, type StreamOptions } from './cot-stream.ts';
import { HeldEnds } from './held-ends.ts';
import type { Redactor } from './redactor.ts';
import { WITHHELD } from './marker.ts';
import { ParkedThoughts } from './parked-thoughts.ts';
import type { RecordWalker } from './record-walker.ts';
import type { BatchReport } from './report.ts';

/** Bytes of all open streams together; beyond it the longest silent ones are parked. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
/** After this silence the held-back end is shown: the writer may be thinking, the reader should not wait. */
const QUIET_MS = 2_000;
/** After this silence the raw text is sealed. */
const CLOSE_MS = 60_000;

export interface StreamsOptions {
  /** undefined: nothing is redacted and nothing is held back. */
  readonly redactor: Redactor | undefined;
  readonly walker: RecordWalker;
  readonly report: BatchReport;
  readonly clock: Clock;
  readonly reorderWindowMs: number;
  /** Takes what changed without a batch. Handles its own failures. */
  readonly emit: (streams: readonly CotStream[]) => void;
  /** Takes the states of thoughts without a stream whose end is no longer held back. Handles its own failures. */
  readonly emitEnded: (states: readonly CotText[]) => void;
}

/** A request being taken in: remembers, per thought, whether the same request was joined before. */
export class RequestMark {
  readonly digest: string;
  private readonly repeated = new Map<string, boolean>();

  /** @param digest of DIGEST_CHARS characters */
  constructor(digest: string) {
    this.digest = digest;
  }

  isRepeated(stream: CotStream): boolean {
    const known = this.repeated.get(stream.requestId);
    if (known !== undefined) return known;
    const repeated = stream.isRepeated(this.digest);
    this.repeated.set(stream.requestId, repeated);
    return repeated;
  }
}

interface Timers {
  idle?: Timer;
  gap?: Timer;
}

/** The open chain-of-thought streams, by raw request id: the only place that holds text before its redaction. */
export class CotStreams {
  private readonly options: StreamsOptions;
  private readonly streamOptions: StreamOptions;
  private readonly streams = new Map<string, CotStream>();
  private readonly timers = new WeakMap<CotStream, Timers>();
  private readonly parked = new ParkedThoughts();
  private readonly held: HeldEnds;
  /** Until then any thought from before may be one that has just been written. */
  private isResumed = false;
  /** Size of each stream at its last change; `totalBytes` is their sum. */
  private readonly sizes = new WeakMap<CotStream, number>();
  private totalBytes = 0;

  constructor(options: StreamsOptions) {
    const { redactor, walker, report, clock } = options;
    this.options = options;
    this.held = new HeldEnds(clock, (states) => this.end(states));
    this.streamOptions = {
      redactor,
      seal: redactor && new ContextSeal(redactor.keyFor('end of an unfinished thought')),
      report,
      redactShared: (value, field) => {
        if (field === 'traceId' || field === 'spanId' || field === 'of') return value;
        // It may be in the middle of the text's own redaction, which goes on with the text's place.
        const { field: before, member } = report;
        const safe = redactor ? walker.text(value, field) : value;
        Object.assign(report, { field: before, member });
        const cut = field === 'summary' ? firstLine(safe, MAX_SUMMARY_CHARS) : clip(safe, MAX_NAME_CHARS);
        // Through a Buffer, because a slice would keep the whole text alive.
        return cut === safe ? safe : Buffer.from(cut).toString();
      },
    };
  }

  get openCount(): number {
    return this.streams.size;
  }

  /**
   * @param request absent where a repetition can't be told
   * @returns the streams that the entry changed, including those that had to be closed to make room. A stream that got
   * a repetition is included: what is acknowledged now must be stored now
   */
  add(entry: CotRecord, request?: RequestMark): readonly CotStream[] {
    const now = this.options.clock.monotonic();
    const stream = this.streams.get(entry.requestId) ?? this.open(entry.requestId);
    this.options.report.node = requestNodeId(stream.safeId);
    const wasReleased = stream.isReleased;
    const wasAdded = request?.isRepeated(stream) !== true && stream.add(entry, now);
    if (!wasAdded) {
      if (stream.isEmpty) return [];
      stream.isDirty = true;
      return [stream];
    }
    // The most recently used stands last.
    this.streams.delete(entry.requestId);
    this.streams.set(entry.requestId, stream);
    // A timer from an earlier silence may fire too late for this one.
    if (wasReleased) this.lookAfter(QUIET_MS, stream);
    this.watch(stream);
    this.count(stream);
    const changed = [stream];
    for (const other of this.streams.values()) {
      if (this.totalBytes <= MAX_TOTAL_BYTES || other === stream) break;
      const wasDirty = other.isDirty;
      this.close(other);
      if (wasDirty || other.isDirty) changed.push(other);
    }
    return changed;
  }

  /** The current state of a stream. Fails closed: text that cannot be redacted is withheld. */
  show(stream: CotStream): CotText {
    const { report } = this.options;
    const isOpen = this.streams.get(stream.requestId) === stream;
    if (!isOpen && stream.shown) return stream.shown;
    report.node = requestNodeId(stream.safeId);
    report.field = 'text';
    report.member = '';
    try {
      return stream.show();
    } catch {
      report.failed();
      return stream.withheld(WITHHELD);
    } finally {
      if (isOpen) this.count(stream);
    }
  }

  /** The streams whose last state was not taken. */
  get dirty(): readonly CotStream[] {
    return [...this.streams.values()].filter(({ isDirty }) => isDirty);
  }

  /** Registers the last state of a thought from before a restart, so that it can continue. */
  resume(state: CotText): void {
    this.parked.put(state);
    if (state.tail === undefined) this.held.delete(state.requestId);
    else this.held.hold(state, Infinity);
  }

  /** All thoughts from before a restart are registered: they are silent from now on. */
  resumed(): void {
    this.isResumed = true;
    this.held.dueAfter(QUIET_MS);
  }

  /** These states were not taken: they are emitted again after a while. */
  holdAgain(states: readonly CotText[]): void {
    const due = this.options.clock.monotonic() + CLOSE_MS;
    for (const state of states) this.held.hold(state, due);
  }

  /** Whether the end of a thought, by its redacted request id, must not be shown yet. */
  isHeldBack(safeRequestId: string): boolean {
    if (!this.isResumed || this.held.has(safeRequestId)) return true;
    for (const stream of this.streams.values())
      if (stream.safeId === safeRequestId) return !stream.isReleased;
    return false;
  }

  /** Drops the text of these requests (redacted ids); later entries of them start a new thought. */
  forget(isMeant: (safeRequestId: string) => boolean): void {
    for (const stream of this.streams.values()) if (isMeant(stream.safeId)) this.close(stream);
    this.parked.forget(isMeant);
    this.held.forget(isMeant);
  }

  /** Forgets all raw text. */
  dispose(): void {
    for (const stream of this.streams.values()) this.close(stream);
    this.held.stop();
  }

  private open(requestId: string): CotStream {
    const { clock, redactor, walker } = this.options;
    const safeId = redactor ? walker.requestId(requestId) : requestId;
    const before = this.parked.take(safeId);
    const stream = new CotStream(this.streamOptions, {
      requestId,
      safeId,
      now: clock.now(),
      before,
      isHeld: this.held.has(safeId),
      isCutOff: before ? before.context !== undefined : this.parked.isEvicted(safeId),
    });
    // The end is the stream's now.
    if (!stream.isEmpty) this.held.delete(safeId);
    stream.lastActivity = clock.monotonic();
    this.streams.set(requestId, stream);
    this.timers.set(stream, {});
    this.lookAfter(QUIET_MS, stream);
    return stream;
  }

  private close(stream: CotStream): void {
    const quietAt = stream.lastActivity + QUIET_MS;
    if (this.options.clock.monotonic() >= quietAt) stream.release();
    if (stream.isDirty) this.show(stream);
    const timers = this.timers.get(stream);
    timers?.idle?.cancel();
    timers?.gap?.cancel();
    this.streams.delete(stream.requestId);
    this.totalBytes -= this.sizes.get(stream) ?? 0;
    const { shown } = stream;
    if (!shown) return;
    this.parked.put(shown);
    if (shown.tail !== undefined) this.held.hold(shown, quietAt);
  }

  private end(states: readonly CotText[]): void {
    const ended = states.map((state) => ({ ...withTail(state), revision: state.revision + 1 }));
    for (const state of ended) this.parked.put(state);
    this.options.emitEnded(ended);
  }

  private count(stream: CotStream): void {
    const { size } = stream;
    this.totalBytes += size - (this.sizes.get(stream) ?? 0);
    this.sizes.set(stream, size);
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

  /** One timer per stream, not one per entry: when it fires it checks for how long the stream has been silent. */
  private onIdle(stream: CotStream): void {
    const { clock, emit } = this.options;
    const silence = clock.monotonic() - stream.lastActivity;
    if (silence >= CLOSE_MS) {
      const { isDirty } = stream;
      this.close(stream);
      if (isDirty || stream.isDirty) emit([stream]);
      return;
    }
    if (silence >= QUIET_MS && (stream.release() || stream.isDirty)) emit([stream]);
    this.lookAfter((silence >= QUIET_MS ? CLOSE_MS : QUIET_MS) - silence, stream);
  }

  private lookAfter(delayMs: number, stream: CotStream): void {
    const timers = this.timers.get(stream);
    if (!timers) return;
    timers.idle?.cancel();
    timers.idle = this.options.clock.after(delayMs, () => this.onIdle(stream));
  }
}
