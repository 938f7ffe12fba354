import type { AttributeValue, Attributes } from './attributes.ts';
import type { EpochMs } from './time.ts';

/**
 * What receivers make of bytes, whatever protocol brought them. A record is raw until it has passed the
 * redaction door; `Redacted` in pipeline.ts marks the ones that have.
 */
export type TelemetryRecord = SpanRecord | CotRecord | EventRecord | LogRecord | MetricRecord;

/** OTLP Resource, shared by all records of one ResourceSpans, ResourceLogs or ResourceMetrics. */
export interface Resource {
  readonly attributes: Attributes;
}

/** OTLP InstrumentationScope, shared by all records of one ScopeSpans, ScopeLogs or ScopeMetrics. */
export interface Scope {
  readonly name: string;
  readonly version: string;
  readonly attributes: Attributes;
}

export interface SpanEvent {
  readonly name: string;
  readonly time: EpochMs;
  readonly attributes: Attributes;
}

export interface SpanLink {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits. */
  readonly spanId: string;
  readonly attributes: Attributes;
}

export interface SpanRecord {
  readonly kind: 'span';
  /** 32 lower-case hex digits, never all zero. */
  readonly traceId: string;
  /** 16 lower-case hex digits, never all zero. */
  readonly spanId: string;
  /** Absent for a root. */
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly start: EpochMs;
  /** Absent while the span is still open. Never before `start`: an earlier end is moved to `start`. */
  readonly end: EpochMs | undefined;
  /** end - start, computed from the nanoseconds before rounding. */
  readonly durationMs: number | undefined;
  readonly status: 'UNSET' | 'OK' | 'ERROR';
  readonly statusMessage: string;
  readonly traceState: string;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  readonly scope: Scope;
  readonly resource: Resource;
}

/** One chain-of-thought log entry: a whole text, or token deltas that append until `final`. */
export interface CotRecord {
  readonly kind: 'cot';
  readonly requestId: string;
  readonly time: EpochMs;
  /** A whole text. */
  readonly text: string | undefined;
  /** Deltas; they are joined without a separator. */
  readonly tokens: readonly string[] | undefined;
  readonly final: boolean;
  readonly summary: string | undefined;
  readonly agent: string | undefined;
  readonly model: string | undefined;
  readonly taskId: string | undefined;
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
  /** Position among the entries of the same request; wins over `time`. */
  readonly sequence: number | undefined;
  /** Which text of its step it is, where it is no thought: what a model answered, or was asked. */
  readonly of?: 'completion' | 'prompt';
}

/** One ReflexionAdapter event (RSMEvent). */
export interface EventRecord {
  readonly kind: 'event';
  /** The sender's eventID, or one derived from the content where it sent none. */
  readonly eventId: string;
  readonly eventType: string;
  readonly component: string | undefined;
  readonly time: EpochMs;
  readonly payload: { readonly [key: string]: AttributeValue };
  /** Trace context of the OTLP log record that carried the event. */
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
}

/** Any other OTLP log record. */
export interface LogRecord {
  readonly kind: 'log';
  readonly time: EpochMs;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly eventName: string;
  readonly body: AttributeValue;
  readonly attributes: Attributes;
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
  readonly scope: Scope;
  readonly resource: Resource;
}

/**
 * One data point of a metric. Points that say nothing (no recorded value, or one that is no finite number) never
 * become records.
 */
export interface MetricRecord {
  readonly kind: 'metric';
  readonly name: string;
  /** UCUM, as sent (`s`, `By`, `{token}`, `1`); may be empty. */
  readonly unit: string;
  readonly instrument: MetricInstrument;
  /** Absent for gauges and summaries. */
  readonly temporality: 'delta' | 'cumulative' | undefined;
  /** Of a sum: can it only grow? */
  readonly monotonic: boolean;
  readonly time: EpochMs;
  /** Since when a sum or distribution has been collected. */
  readonly start: EpochMs | undefined;
  /** A gauge or sum has a number, finite; beyond 2^53 it is rounded. The others have a distribution. */
  readonly value: number | Distribution;
  readonly attributes: Attributes;
  /** Single measurements behind the point, of which the sender says in which span they were made. */
  readonly exemplars: readonly MetricExemplar[];
  readonly scope: Scope;
  readonly resource: Resource;
}

export type MetricInstrument = 'gauge' | 'sum' | 'histogram' | 'exponentialHistogram' | 'summary';

/** What is kept of a histogram or summary. Numbers are finite. */
export interface Distribution {
  readonly count: number;
  readonly sum: number | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

export interface MetricExemplar {
  /** 32 lower-case hex digits, never all zero. */
  readonly traceId: string;
  /** 16 lower-case hex digits, never all zero. */
  readonly spanId: string;
  readonly time: EpochMs;
  /** Finite. */
  readonly value: number;
}
