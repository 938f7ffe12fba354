import { readFileSync, readdirSync } from 'node:fs';
import protobuf from 'protobufjs';
import type { RecordBatch, RecordConsumer } from '../../model/pipeline.ts';
import type { LogRecord, MetricRecord, SpanRecord, TelemetryRecord } from '../../model/records.ts';
import { DEFAULT_RECEIVER_LIMITS, type ReceiverLimits } from '../config.ts';
import { decodeOtlp, type Encoding, type Signal } from './decode.ts';
import type { Decoded } from './decode-state.ts';

const PROTO = new URL('../../../proto/opentelemetry/otlp.proto', import.meta.url);
const FIXTURES = new URL('../../../test/fixtures/telemetry/', import.meta.url);
const REQUESTS = {
  traces: 'otlp.ExportTraceServiceRequest',
  logs: 'otlp.ExportLogsServiceRequest',
  metrics: 'otlp.ExportMetricsServiceRequest',
} as const;

/** The reference codec, generated from our .proto by an independent library. */
export const reference = protobuf.parse(readFileSync(PROTO, 'utf8')).root;

export const RECEIVED_MS = 1_750_000_000_000;

export function encode(signal: Signal, request: object): Buffer {
  const type = reference.lookupType(REQUESTS[signal]);
  return Buffer.from(type.encode(type.fromObject(request)).finish());
}

export function decode(
  signal: Signal,
  encoding: Encoding,
  body: Buffer | object,
  limits: Partial<ReceiverLimits> = {},
): Decoded {
  const bytes = Buffer.isBuffer(body) ? body : bytesOf(signal, encoding, body);
  return decodeOtlp(signal, encoding, bytes, { ...DEFAULT_RECEIVER_LIMITS, ...limits }, RECEIVED_MS);
}

function bytesOf(signal: Signal, encoding: Encoding, request: object): Buffer {
  return encoding === 'json' ? Buffer.from(JSON.stringify(request)) : encode(signal, withBytes(request));
}

/** OTLP/JSON has ids in hex; the reference codec takes bytes. */
export function withBytes(value: unknown): object {
  return JSON.parse(JSON.stringify(value), (key: string, inner: unknown) =>
    /^(?:traceId|spanId|parentSpanId)$/.test(key) && typeof inner === 'string'
      ? Buffer.from(inner, 'hex').toString('base64')
      : inner,
  ) as object;
}

export function spans(decoded: Decoded): readonly SpanRecord[] {
  return decoded.records as readonly SpanRecord[];
}

export function logs(decoded: Decoded): readonly LogRecord[] {
  return decoded.records as readonly LogRecord[];
}

export function metrics(decoded: Decoded): readonly MetricRecord[] {
  return decoded.records as readonly MetricRecord[];
}

export const TRACE = '0123456789abcdef0123456789abcdef';
export const SPAN = '0123456789abcdef';

export function traceRequest(...spans: readonly object[]): object {
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] };
}

export function logRequest(...logRecords: readonly object[]): object {
  return { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
}

export function metricRequest(...metrics: readonly object[]): object {
  return { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] };
}

export function span(fields: object = {}): object {
  return {
    traceId: TRACE,
    spanId: SPAN,
    name: 'chat',
    startTimeUnixNano: '1795293556273000000',
    endTimeUnixNano: '1795293556274105734',
    ...fields,
  };
}

export function attribute(key: string, value: object): object {
  return { key, value };
}

export interface Fixture {
  readonly name: string;
  readonly body: Buffer;
}

/** Recorded OTLP/JSON trace requests. */
export function fixtures(): readonly Fixture[] {
  return readdirSync(FIXTURES)
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({ name, body: readFileSync(new URL(name, FIXTURES)) }));
}

/** Remembers what it is given; refuses with `refusal` while that is set. */
export class RecordingConsumer implements RecordConsumer {
  readonly batches: RecordBatch[] = [];
  refusal: Error | undefined;
  gate: Promise<void> | undefined;

  async consume(batch: RecordBatch): Promise<void> {
    if (this.gate !== undefined) await this.gate;
    if (this.refusal !== undefined) throw this.refusal;
    this.batches.push(batch);
  }

  get records(): readonly TelemetryRecord[] {
    return this.batches.flatMap((batch) => batch.records);
  }
}
