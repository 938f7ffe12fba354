import type { Attributes as ApiAttributes, HrTime, SpanContext } from '@opentelemetry/api';
import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { Attributes } from '../model/attributes.ts';
import type { SpanRecord } from '../model/records.ts';

const STATUS_CODES = { UNSET: 0, OK: 1, ERROR: 2 } as const;
const INTERNAL = 0;
/** Of W3C trace context: sampled. */
const SAMPLED = 1;

/** Records as the SDK's serializer wants them; those of one resource share it. */
export function readableSpans(spans: readonly SpanRecord[]): ReadableSpan[] {
  const resources = new Map<string, Resource>();
  return spans.map((span) => {
    const given = plain(span.resource.attributes);
    const key = JSON.stringify(given);
    const resource = resources.get(key) ?? resourceFromAttributes(given);
    resources.set(key, resource);
    return readable(span, resource);
  });
}

function readable(span: SpanRecord, resource: Resource): ReadableSpan {
  const { traceId, spanId, parentSpanId, start, end } = span;
  return {
    name: span.name,
    kind: INTERNAL,
    spanContext: () => context(traceId, spanId),
    ...(parentSpanId !== undefined && { parentSpanContext: context(traceId, parentSpanId) }),
    startTime: hrTime(start),
    // A step that still runs has none: 0 says so.
    endTime: hrTime(end ?? 0),
    status: { code: STATUS_CODES[span.status], message: span.statusMessage },
    attributes: plain(span.attributes),
    links: span.links.map((link) => ({
      context: context(link.traceId, link.spanId),
      attributes: plain(link.attributes),
    })),
    events: span.events.map((event) => ({
      name: event.name,
      time: hrTime(event.time),
      attributes: plain(event.attributes),
    })),
    duration: hrTime(end === undefined ? 0 : end - start),
    ended: end !== undefined,
    resource,
    instrumentationScope: { name: span.scope.name, version: span.scope.version },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function context(traceId: string, spanId: string): SpanContext {
  return { traceId, spanId, traceFlags: SAMPLED };
}

/** Nested values are more than the API's type knows, and what the wire has. */
function plain(attributes: Attributes): ApiAttributes {
  return Object.fromEntries(attributes) as ApiAttributes;
}

/** Seconds, and the rest in nanoseconds. */
function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
