import { unreachable } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import { Pace } from '../base/pace.ts';
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
import type { Engine } from './engine.ts';
import { RecordWalker } from './record-walker.ts';
import { BatchReport } from './report.ts';
import { CotStreams } from './streams.ts';
import type { Original, Originals } from './vault/originals.ts';
import { withoutThought } from './without-text.ts';

export interface RedactionDoorOptions {
  readonly next: SafeRecordConsumer;
  readonly engine: Engine;
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
  /** With a vault: collects what is hidden, by the engine that tells it. */
  readonly originals?: Originals | undefined;
  /** `zeroDataRetention`: the text of a thought ends here, before anything holds it. */
  readonly dropThoughts?: boolean;
}

/** The one way from the receivers to everything else. */
export class RedactionDoor implements RecordConsumer {
  private readonly options: RedactionDoorOptions;
  private readonly pace: Pace;
  private readonly report: BatchReport;
  private readonly walker: RecordWalker;
  private readonly streams: CotStreams;
  /** Batches on their way to the next stage; none of them rejects. */
  private readonly underWay = new Set<Promise<void>>();
  /** Emissions of the streams' own timers that are under way. */
  private readonly pending = new Set<Promise<void>>();

  constructor(options: RedactionDoorOptions) {
    const { engine, clock } = options;
    this.options = options;
    this.pace = options.pace ?? new Pace(clock);
    this.report = new BatchReport(options.audit, () => clock.now());
    this.walker = new RecordWalker(engine, this.report);
    if (options.originals) options.originals.place = this.report;
    this.streams = new CotStreams({
      engine: options.enabled ? engine : undefined,
      walker: this.walker,
      report: this.report,
      clock,
      reorderWindowMs: options.reorderWindowMs,
      emit: (streams) => this.emit(streams),
    });
  }

  /** Chains of thought that are still arriving. */
  get openStreams(): number {
    return this.streams.openCount;
  }

  consume(batch: RecordBatch): Promise<void> {
    return this.tracked(this.takeIn(batch));
  }

  /** Shows what streams hold back, of one request or of all, and waits until the next stage has it. */
  async flush(requestId?: string): Promise<void> {
    const streams = this.streams.flush(requestId);
    await this.showAll(streams);
    while (this.pending.size > 0) await Promise.all(this.pending);
  }

  /**
   * What is erased must not come back with the rest of a thought that is still being written.
   * Resolves when nothing of these requests, by their redacted ids, is on its way to the next stage any more.
   */
  async forget(isMeant: (safeRequestId: string) => boolean): Promise<void> {
    this.streams.forget(isMeant);
    await Promise.all(this.underWay);
  }

  /** For a clean stop: flush, then forget all raw text. */
  async drain(): Promise<void> {
    await this.flush();
    this.streams.dispose();
  }

  private addThought(record: CotRecord): readonly CotStream[] {
    return this.streams.add(this.options.dropThoughts === true ? withoutThought(record) : record);
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

  /** A large batch is redacted in pieces; its thoughts at once, since the order of their entries counts. */
  private async takeIn({ receivedAt, source, records }: RecordBatch): Promise<void> {
    const changed = new Set<CotStream>();
    for (const record of records)
      if (record.kind === 'cot') for (const stream of this.addThought(record)) changed.add(stream);
    const shown = this.show(changed);
    const hidden: Original[] = [];
    const safe: SafeRecord[] = [];
    for (const record of records) {
      if (record.kind === 'cot') continue;
      if (this.pace.isOver) {
        // What others hide meanwhile is theirs.
        hidden.push(...this.takeHidden());
        await this.pace.rest();
      }
      safe.push(this.redact(record));
    }
    hidden.push(...this.takeHidden());
    await this.pass({ receivedAt, source, records: safe.concat(shown) }, hidden, changed);
  }

  private show(streams: Iterable<CotStream>): SafeRecord[] {
    const shown: SafeRecord[] = [];
    for (const stream of streams) {
      shown.push(passed(this.streams.show(stream)));
      stream.isDirty = false;
    }
    return shown;
  }

  private takeHidden(): readonly Original[] {
    return this.options.originals?.take() ?? [];
  }

  private showAll(streams: readonly CotStream[]): Promise<void> {
    const receivedAt = this.options.clock.monotonic();
    const records = this.show(streams);
    return this.pass({ receivedAt, source: 'bus', records }, this.takeHidden(), streams);
  }

  /** @param changed the streams whose thoughts are among the records */
  private async pass(
    batch: SafeBatch,
    hidden: readonly Original[],
    changed: Iterable<CotStream>,
  ): Promise<void> {
    const withheld = this.report.flush(this.options.metrics);
    if (withheld > 0)
      this.options.logger.warn({ withheld }, 'redaction failed on fields, which are withheld');
    if (batch.records.length === 0) return;
    try {
      await this.tracked(this.options.next.consume(batch));
    } catch (error) {
      // Nothing was taken: what the streams have is still to be shown, with the sender's repetition or later.
      for (const stream of changed) stream.isDirty = true;
      throw error;
    }
    // Only now it is known which task each record belongs to.
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

  private emit(streams: readonly CotStream[]): void {
    const emission = this.showAll(streams).catch((error: unknown) => {
      const code = error instanceof Error ? error.name : 'unknown';
      this.options.logger.warn(
        { streams: streams.length, code },
        'chain-of-thought text not taken; it is sent again',
      );
    });
    this.pending.add(emission);
    void emission.finally(() => this.pending.delete(emission));
  }
}

/** The only place that may say so. */
function passed<T>(value: T): Redacted<T> {
  return value as Redacted<T>;
}
