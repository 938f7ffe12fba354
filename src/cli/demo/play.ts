import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type HrTime, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { resources, type tracing } from '@opentelemetry/sdk-node';
import {
  plainValue,
  type PlainValue,
  type RecordedAttribute,
  type RecordedGroup,
  type RecordedSpan,
} from './recording.ts';

/** Milliseconds that one recording is stretched to: recorded runs with faked models are over in a blink. */
const PLAY_MS = 2500;
const NS_PER_MS = 1_000_000n;
/** The API's values by OTLP's numbers. */
const KINDS: readonly SpanKind[] = [
  SpanKind.INTERNAL,
  SpanKind.INTERNAL,
  SpanKind.SERVER,
  SpanKind.CLIENT,
  SpanKind.PRODUCER,
  SpanKind.CONSUMER,
];
const STATUS_CODES: readonly SpanStatusCode[] = [
  SpanStatusCode.UNSET,
  SpanStatusCode.OK,
  SpanStatusCode.ERROR,
];

/**
 * Plays a recording as if it happened now: with fresh trace ids, with its own timing slowed down so that a
 * person can follow, each span sent when it ends, by the official exporter.
 *
 * @returns the trace ids under which it was played
 */
export async function playRecording(
  groups: readonly RecordedGroup[],
  exporter: OTLPTraceExporter,
): Promise<string[]> {
  const spans = groups.flatMap((group) => group.spans);
  const first = least(spans.map((span) => BigInt(span.startTimeUnixNano)));
  const last = -least(spans.map((span) => -BigInt(span.endTimeUnixNano)));
  const stretch = PLAY_MS / Math.max(1, Number(last - first) / Number(NS_PER_MS));
  const started = Date.now();
  const timeOf = (nano: string): number =>
    started + (Number(BigInt(nano) - first) / Number(NS_PER_MS)) * stretch;

  const traces = new Map<string, string>();
  const queue = groups
    .flatMap((group) => group.spans.map((span) => ({ group, span, endsAt: timeOf(span.endTimeUnixNano) })))
    .sort((a, b) => a.endsAt - b.endsAt);
  for (const { group, span, endsAt } of queue) {
    const traceId = traces.get(span.traceId) ?? randomBytes(16).toString('hex');
    traces.set(span.traceId, traceId);
    await sleep(Math.max(0, endsAt - Date.now()));
    await send(exporter, readableSpan(group, span, traceId, timeOf));
  }
  return [...traces.values()];
}

export function createExporter(host: string, port: number): OTLPTraceExporter {
  return new OTLPTraceExporter({ url: `http://${host}:${port}` });
}

function send(exporter: OTLPTraceExporter, span: tracing.ReadableSpan): Promise<void> {
  return new Promise((resolve, reject) => {
    exporter.export([span], (result) => {
      if (result.error) reject(result.error);
      else resolve();
    });
  });
}

function readableSpan(
  group: RecordedGroup,
  span: RecordedSpan,
  traceId: string,
  timeOf: (nano: string) => number,
): tracing.ReadableSpan {
  const context = (spanId: string) => ({ traceId, spanId, traceFlags: 1 });
  const startTime = hrTime(timeOf(span.startTimeUnixNano));
  const endTime = hrTime(timeOf(span.endTimeUnixNano));
  const { parentSpanId } = span;
  return {
    name: span.name,
    kind: KINDS[span.kind] ?? SpanKind.INTERNAL,
    spanContext: () => context(span.spanId),
    ...(parentSpanId !== undefined && parentSpanId !== '' && { parentSpanContext: context(parentSpanId) }),
    startTime,
    endTime,
    duration: hrTime(timeOf(span.endTimeUnixNano) - timeOf(span.startTimeUnixNano)),
    status: {
      code: STATUS_CODES[span.status?.code ?? 0] ?? SpanStatusCode.UNSET,
      ...(span.status?.message !== undefined && { message: span.status.message }),
    },
    attributes: plain(span.attributes),
    links: [],
    events: (span.events ?? []).map((event) => ({
      name: event.name,
      time: hrTime(timeOf(event.timeUnixNano)),
      attributes: plain(event.attributes),
    })),
    ended: true,
    resource: resources.resourceFromAttributes(plain(group.resource)),
    instrumentationScope: { name: group.scope },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function plain(attributes: readonly RecordedAttribute[] = []): { [key: string]: PlainValue } {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]));
}

function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}

function least(values: readonly bigint[]): bigint {
  return values.reduce((a, b) => (b < a ? b : a));
}
