import type { CotText } from './facts.ts';
import type {
  CotRecord,
  EventRecord,
  LogRecord,
  MetricRecord,
  SpanRecord,
  TelemetryRecord,
} from './records.ts';

/** The interfaces between the stages. Each stage gets the next one injected and knows nothing else of it. */

/** What one request, or one in-process call, brought. */
export interface RecordBatch {
  /** Clock.monotonic() when its first byte was complete: the start of `explain.graph_update_latency`. */
  readonly receivedAt: number;
  readonly source: 'otlp-grpc' | 'otlp-http' | 'http' | 'bus' | 'kafka' | 'mew';
  readonly records: readonly TelemetryRecord[];
  /**
   * SHA-256 of the request's body, by which a thought knows a request that is sent again; of several messages in one
   * batch that of each, by entry. Absent where nothing is sent again: on the bus.
   */
  readonly digest?: string | ((entry: CotRecord) => string) | undefined;
  /** How many records of the same request were refused before. */
  readonly refused?: number;
  /** Called when the records were read: whoever waits for the rest to be done holds them no longer. */
  readonly release?: () => void;
}

/** Takes raw records: the redaction door. */
export interface RecordConsumer {
  /**
   * Resolves when everything in the batch has been taken over (a receiver answers success only then).
   * @throws BoundaryError UNAVAILABLE while draining, RESOURCE_EXHAUSTED when full: nothing was taken
   */
  consume(batch: RecordBatch): Promise<void>;
}

declare const redacted: unique symbol;
/** A value all of whose strings went through the redaction door. Only `src/redaction` makes one. */
export type Redacted<T> = T & { readonly [redacted]: true };

/** What leaves the door: chain-of-thought entries have become the redacted text of their stream. */
export type SafeRecord =
  | Redacted<SpanRecord>
  | Redacted<CotText>
  | Redacted<EventRecord>
  | Redacted<LogRecord>
  | Redacted<MetricRecord>;

export interface SafeBatch {
  readonly receivedAt: number;
  readonly source: RecordBatch['source'];
  readonly records: readonly SafeRecord[];
  /** As that of `RecordBatch`. */
  readonly release?: () => void;
}

/** Takes redacted records: correlation. */
export interface SafeRecordConsumer {
  consume(batch: SafeBatch): Promise<void>;
}
