import { hash } from 'node:crypto';
import { unreachable } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import { counted, Pace } from '../base/pace.ts';
import type { CotText } from '../model/facts.ts';
import type {
  RecordBatch,
  RecordConsumer,
  Redacted,
  SafeBatch,
  SafeRecord,
  SafeRecordConsumer,
} from '../model/pipeline.ts';
import type { CotRecord, TelemetryRecord } from '../model/records.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { OwnMetrics } from '../telemetry/own-metrics.ts';
import type { AuditSink } from './audit-log.ts';
import type { CotStream } from './cot-stream.ts';
import type { Redactor } from './redactor.ts';
import { CleanTexts } from './clean-texts.ts';
import { RecordWalker } from './record-walker.ts';
import { BatchReport } from './report.ts';
import { DIGEST_CHARS } from './recent-requests.ts';
import { CotStreams, RequestMark } from './streams.ts';
import type { Original, Originals } from './vault/originals.ts';
import { withoutThought } from './without-text.ts';

export interface RedactionDoorOptions {
  readonly next: SafeRecordConsumer;
  readonly redactor: Redactor;
  readonly metrics: OwnMetrics;
  readonly audit: AuditSink;
  readonly logger: Logger;
  readonly clock: Clock;
  /** How long work is cut into pieces. One of its own if absent. */
  readonly pace?: Pace | undefined;
  /** How long a known gap in the sequence of a stream holds back what follows it. */
  readonly reorderWindowMs: number;
  /** `redactPII`: when false, records pass as they are and chain-of-thought entries are only joined. */
  readonly enabled: boolean;
  /** With a vault: collects what is hidden, by the redactor that tells it. */
  readonly originals?: Originals | undefined;
  /** `zeroDataRetention`: the text of a thought ends here, before anything holds it. */
  readonly dropThoughts?: boolean;
}

/** Thoughts that go on together by time alone: as many as a chunk of what correlation takes, twice. */
const MAX_DUE_AT_ONCE = 500;

/** The one way from the receivers to everything else. */
export class RedactionDoor implements RecordConsumer {
  private readonly options: RedactionDoorOptions;
  private readonly pace: Pace;
  private readonly report: BatchReport;
  /** Undefined where no text may be held. */
  private readonly clean: CleanTexts | undefined;
  private readonly walker: RecordWalker;
  private readonly streams: CotStreams;
  private readonly digestKey: string;
  /** By requestId: the last batch whose thoughts of it are being joined, or wait for it. */
  private readonly joining = new Map<string, Promise<void>>();
  /** Batches on their way to the next stage; none of them rejects. */
  private readonly underWay = new Set<Promise<void>>();
  /** Emissions of the streams' own timers that are under way. */
  private readonly pending = new Set<Promise<void>>();
  /** Streams that are to be shown by time alone. */
  private readonly due = new Set<CotStream>();
  private isShowingDue = false;

  constructor(options: RedactionDoorOptions) {
    const { redactor, clock } = options;
    this.options = options;
    this.pace = options.pace ?? new Pace(clock);
    this.report = new BatchReport(options.audit, () => clock.now());
    this.clean = options.dropThoughts === true ? undefined : new CleanTexts();
    this.walker = new RecordWalker(redactor, this.report, this.clean);
    this.digestKey = Buffer.from(redactor.keyFor('digests of requests')).toString('base64');
    if (options.originals) options.originals.place = this.report;
    this.streams = new CotStreams({
      redactor: options.enabled ? redactor : undefined,
      walker: this.walker,
      report: this.report,
      clock,
      reorderWindowMs: options.reorderWindowMs,
      emit: (streams) => {
        for (const stream of streams) this.due.add(stream);
        if (!this.isShowingDue) this.emit(this.showDue());
      },
      emitEnded: (states) => this.emit(this.passEnded(states)),
    });
  }

  /** Chains of thought that are still arriving. */
  get openStreams(): number {
    return this.streams.openCount;
  }

  consume(batch: RecordBatch): Promise<void> {
    return this.tracked(this.takeIn(batch));
  }

  /** Resolves when the next stage has, or has refused, what thoughts show by time alone. */
  async settled(): Promise<void> {
    while (this.pending.size > 0) await Promise.all(this.pending);
  }

  /**
   * Drops open thoughts of these requests (redacted ids), so that erased text does not come back with later entries, and
   * what is known of short texts.
   * Resolves when nothing of them is in flight to the next stage.
   */
  async forget(isMeant: (safeRequestId: string) => boolean): Promise<void> {
    for (const stream of this.due) if (isMeant(stream.safeId)) this.due.delete(stream);
    this.streams.forget(isMeant);
    await Promise.all(this.underWay);
    this.clean?.clear();
  }

  /** Continues a thought from before a restart. */
  resume(state: CotText): void {
    this.streams.resume(state);
  }

  /** All thoughts from before a restart were told: ends that are held back are shown after a silence from now on. */
  resumed(): void {
    this.streams.resumed();
  }

  /** Whether the end of a thought, by its redacted request id, must not be shown yet. */
  isHeldBack(safeRequestId: string): boolean {
    return this.streams.isHeldBack(safeRequestId);
  }

  /** For a clean stop: passes on what was refused before, then forgets all raw text. What is held back stays so. */
  async drain(): Promise<void> {
    await this.passShown(this.show(this.streams.dirty));
    await this.settled();
    this.streams.dispose();
  }

  private addThought(record: CotRecord, request: RequestMark | undefined): readonly CotStream[] {
    return this.streams.add(this.options.dropThoughts === true ? withoutThought(record) : record, request);
  }

  /** The mark of the request that an entry came with; keyed, so that what is kept of a body says nothing about it. */
  private marksBy(digest: RecordBatch['digest']): (entry: CotRecord) => RequestMark | undefined {
    if (digest === undefined) return () => undefined;
    const marks = new Map<string, RequestMark>();
    return (entry) => {
      const of = typeof digest === 'string' ? digest : digest(entry);
      const known = marks.get(of);
      if (known) return known;
      // Key and digest have a fixed length, and most of the hash stays here: it needs no more than one round.
      const mark = new RequestMark(hash('sha256', this.digestKey + of, 'base64').slice(0, DIGEST_CHARS));
      marks.set(of, mark);
      return mark;
    };
  }

  private redact(record: Exclude<TelemetryRecord, { kind: 'cot' }>): SafeRecord {
    if (!this.options.enabled) return passed(record);
    switch (record.kind) {
      case 'span':
        return passed(this.walker.span(record));
      case 'event':
        return passed(this.walker.event(record));
      case 'log':
        return passed(this.unasked(() => this.walker.log(record)));
      case 'metric':
        return passed(this.unasked(() => this.walker.metric(record)));
      default:
        return unreachable(record);
    }
  }

  /** No node is known to show such a record, so nobody could ask for what was hidden in it. */
  private unasked<T>(walk: () => T): T {
    const { originals } = this.options;
    if (originals) originals.isWanted = false;
    const safe = walk();
    if (originals) originals.isWanted = true;
    return safe;
  }

  /** A large batch is redacted in pieces. */
  private async takeIn({ receivedAt, source, records, digest, release }: RecordBatch): Promise<void> {
    const hidden: Original[] = [];
    const turns = counted(this.pace);
    const rest = (): Promise<void> => {
      // Batches that run in between report their own findings.
      hidden.push(...this.takeHidden());
      return turns.rest();
    };
    const shown = await this.takeThoughts(records, this.marksBy(digest), rest);
    const safe: SafeRecord[] = [];
    for (const record of records) {
      if (record.kind === 'cot') continue;
      if (this.pace.isOver) await rest();
      safe.push(this.redact(record));
    }
    release?.();
    hidden.push(...this.takeHidden());
    for (const { state } of shown) safe.push(state);
    const batch = { receivedAt, source, records: safe, release: () => void (safe.length = 0) };
    await this.pass(batch, hidden, shown);
  }

  /** Those of one requestId in the order of their batches, since the order of their entries counts. */
  private async takeThoughts(
    records: readonly TelemetryRecord[],
    markOf: (entry: CotRecord) => RequestMark | undefined,
    rest: () => Promise<void>,
  ): Promise<readonly ShownStream[]> {
    const thoughts = records.filter((record) => record.kind === 'cot');
    if (thoughts.length === 0) return [];
    const ids = new Set(thoughts.map(({ requestId }) => requestId));
    const before = new Set([...ids].flatMap((id) => this.joining.get(id) ?? []));
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const id of ids) this.joining.set(id, promise);
    if (before.size > 0) await Promise.all(before);
    try {
      const changed = new Set<CotStream>();
      for (const thought of thoughts) {
        if (this.pace.isOver) await rest();
        for (const stream of this.addThought(thought, markOf(thought))) changed.add(stream);
      }
      const shown: ShownStream[] = [];
      for (const stream of changed) {
        if (this.pace.isOver) await rest();
        shown.push(...this.show([stream]));
      }
      return shown;
    } finally {
      for (const id of ids) if (this.joining.get(id) === promise) this.joining.delete(id);
      resolve();
    }
  }

  private show(streams: Iterable<CotStream>): ShownStream[] {
    const shown: ShownStream[] = [];
    for (const stream of streams) {
      shown.push({ stream, state: passed(this.streams.show(stream)) });
      stream.isDirty = false;
    }
    return shown;
  }

  private takeHidden(): readonly Original[] {
    return this.options.originals?.take() ?? [];
  }

  /** One stream at a time falls due, but thousands may have been silent since the same moment: they go on together. */
  private async showDue(): Promise<void> {
    this.isShowingDue = true;
    try {
      if (this.pace.isOver) await this.pace.rest();
      while (this.due.size > 0) {
        this.emit(this.passShown(this.showSome(this.due)));
        // What falls due in the same turn is shown with what is left.
        await this.pace.rest();
      }
    } finally {
      this.isShowingDue = false;
    }
  }

  /** As many as this turn has room for, one at least. */
  private showSome(streams: Set<CotStream>): readonly ShownStream[] {
    const shown: ShownStream[] = [];
    for (const stream of streams) {
      streams.delete(stream);
      shown.push(...this.show([stream]));
      if (shown.length >= MAX_DUE_AT_ONCE || this.pace.isOver) break;
    }
    return shown;
  }

  private async passShown(shown: readonly ShownStream[]): Promise<void> {
    const receivedAt = this.options.clock.monotonic();
    const records = shown.map(({ state }) => state);
    await this.pass({ receivedAt, source: 'bus', records }, this.takeHidden(), shown);
  }

  /** @param shown the thoughts among the records */
  private async pass(
    batch: SafeBatch,
    hidden: readonly Original[],
    shown: readonly ShownStream[],
  ): Promise<void> {
    const withheld = this.report.flush(this.options.metrics);
    if (withheld > 0)
      this.options.logger.warn({ withheld }, 'redaction failed on fields, which are withheld');
    if (batch.records.length === 0) return;
    try {
      await this.tracked(this.options.next.consume(batch));
    } catch (error) {
      // The next stage refused the batch: the streams stay dirty and are shown with the sender's retry or later.
      for (const { stream } of shown) stream.isDirty = true;
      throw error;
    }
    for (const { stream, state } of shown) stream.keep(state);
    // The task of each record is known only after correlation has taken it.
    this.options.originals?.keep(hidden);
  }

  private tracked(taken: Promise<void>): Promise<void> {
    const settled = taken.then(
      () => undefined,
      () => undefined,
    );
    this.underWay.add(settled);
    void settled.finally(() => this.underWay.delete(settled));
    return taken;
  }

  private async passEnded(ended: readonly CotText[]): Promise<void> {
    const records = ended.map(passed);
    try {
      await this.pass({ receivedAt: this.options.clock.monotonic(), source: 'bus', records }, [], []);
    } catch (error) {
      this.streams.holdAgain(ended);
      throw error;
    }
  }

  private emit(passing: Promise<void>): void {
    const emission = passing.catch((error: unknown) => {
      const code = error instanceof Error ? error.name : 'unknown';
      this.options.logger.warn({ code }, 'chain-of-thought text not taken; it is sent again');
    });
    this.pending.add(emission);
    void emission.finally(() => this.pending.delete(emission));
  }
}

interface ShownStream {
  readonly stream: CotStream;
  readonly state: Redacted<CotText>;
}

/** The only cast to `Redacted<T>`; everything else goes through the door. */
function passed<T>(value: T): Redacted<T> {
  return value as Redacted<T>;
}
