import { unreachable } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import type {
  RecordBatch,
  RecordConsumer,
  Redacted,
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
import type { Originals } from './vault/originals.ts';
import { withoutThought } from './without-text.ts';

export interface RedactionDoorOptions {
  readonly next: SafeRecordConsumer;
  readonly engine: Engine;
  readonly metrics: OwnMetrics;
  readonly audit: AuditSink;
  readonly logger: Logger;
  readonly clock: Clock;
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
  private readonly report: BatchReport;
  private readonly walker: RecordWalker;
  private readonly streams: CotStreams;
  /** Emissions of the streams' own timers that are under way. */
  private readonly pending = new Set<Promise<void>>();

  constructor(options: RedactionDoorOptions) {
    const { engine, clock } = options;
    this.options = options;
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

  async consume(batch: RecordBatch): Promise<void> {
    const records: SafeRecord[] = [];
    const changed = new Set<CotStream>();
    for (const record of batch.records) {
      if (record.kind === 'cot') for (const stream of this.addThought(record)) changed.add(stream);
      else records.push(this.redact(record));
    }
    await this.pass(batch.receivedAt, batch.source, records, [...changed]);
  }

  /** Shows what streams hold back, of one request or of all, and waits until the next stage has it. */
  async flush(requestId?: string): Promise<void> {
    const streams = this.streams.flush(requestId);
    await this.pass(this.options.clock.monotonic(), 'bus', [], streams);
    while (this.pending.size > 0) await Promise.all(this.pending);
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

  private async pass(
    receivedAt: number,
    source: RecordBatch['source'],
    records: SafeRecord[],
    changed: readonly CotStream[],
  ): Promise<void> {
    for (const stream of changed) {
      records.push(passed(this.streams.show(stream)));
      stream.isDirty = false;
    }
    const hidden = this.options.originals?.take() ?? [];
    const withheld = this.report.flush(this.options.metrics);
    if (withheld > 0)
      this.options.logger.warn({ withheld }, 'redaction failed on fields, which are withheld');
    if (records.length === 0) return;
    try {
      await this.options.next.consume({ receivedAt, source, records });
    } catch (error) {
      // Nothing was taken: what the streams have is still to be shown, with the sender's repetition or later.
      for (const stream of changed) stream.isDirty = true;
      throw error;
    }
    // Only now it is known which task each record belongs to.
    this.options.originals?.keep(hidden);
  }

  private emit(streams: readonly CotStream[]): void {
    const emission = this.pass(this.options.clock.monotonic(), 'bus', [], streams).catch((error: unknown) => {
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
