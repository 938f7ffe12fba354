import { ManualClock } from '../../base/clock.ts';
import { Pace } from '../../base/pace.ts';
import type { CotRecord, SpanRecord } from '../../model/records.ts';
import { noMetrics, type OwnMetrics } from '../../telemetry/own-metrics.ts';
import { RecordingConsumer } from '../otlp/otlp.test-support.ts';
import type { HeldEncrypted } from './held-encrypted.ts';
import type { SourcesOf } from './runs-of-body.ts';
import { AgUiReceiver, type AgUiAnswer, type AgUiPost } from './ag-ui-receiver.ts';

/** A receiver whose records are looked at. */
export class TestReceiver {
  readonly clock = new ManualClock();
  readonly consumer = new RecordingConsumer();
  readonly receiver: AgUiReceiver;

  constructor(metrics: OwnMetrics = noMetrics, held?: HeldEncrypted, sourcesOf?: SourcesOf) {
    const { clock, consumer } = this;
    this.receiver = new AgUiReceiver({ consumer, clock, metrics, pace: new Pace(clock), held, sourcesOf });
  }

  post(body: unknown, named: Partial<AgUiPost> = {}): Promise<AgUiAnswer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.receiver.receive({
      body: Buffer.from(text),
      contentType: undefined,
      taskId: undefined,
      agent: undefined,
      ...named,
    });
  }

  /** The last record of each span, in the order in which they were begun. */
  get spans(): readonly SpanRecord[] {
    const last = new Map<string, SpanRecord>();
    for (const record of this.consumer.records)
      if (record.kind === 'span') last.set(`${record.traceId}:${record.spanId}`, record);
    return [...last.values()];
  }

  /** Those of one kind. */
  of(kind: string): readonly SpanRecord[] {
    return this.spans.filter(({ attributes }) => attributes.get('agui.kind') === kind);
  }

  get thoughts(): readonly CotRecord[] {
    return this.consumer.records.filter((record) => record.kind === 'cot');
  }
}

/** Counts what is refused, by reason. */
export function countingMetrics(): {
  readonly metrics: OwnMetrics;
  readonly rejected: ReadonlyMap<string, number>;
} {
  const rejected = new Map<string, number>();
  const recordsRejected: OwnMetrics['recordsRejected'] = (_signal, reason, count) => {
    rejected.set(reason, (rejected.get(reason) ?? 0) + count);
  };
  return { metrics: { ...noMetrics, recordsRejected }, rejected };
}
