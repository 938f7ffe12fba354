import type { AttributeValue, Attributes } from '../../model/attributes.ts';
import type { ExplanationGraph } from '../../model/node.ts';
import type { NodeDetail } from '../../model/reader-messages.ts';
import type { SpanRecord } from '../../model/records.ts';
import { withRests } from '../rests.ts';
import { spanMakerInSteps } from './graph-spans.ts';

/** Spans of one agent that are written together. */
const MAX_RUN = 100;

/**
 * A graph as OTLP/JSON (`TracesData`), in pieces: what a node says at length is read when its span is written. Spans of one
 * agent that follow one another share a resource.
 */
export async function* tracesJson(
  graph: ExplanationGraph,
  details: AsyncIterable<NodeDetail>,
): AsyncGenerator<string, void> {
  const spanOf = yield* withRests(spanMakerInSteps(graph));
  yield '{"resourceSpans":[';
  let run: SpanRecord[] = [];
  let agent: string | undefined;
  let isFirst = true;
  const written = function* (): Generator<string, void> {
    if (run.length > 0) yield `${isFirst ? '' : ','}${JSON.stringify(resourceSpans(run))}`;
    isFirst &&= run.length === 0;
    run = [];
  };
  for await (const detail of details) {
    if (detail.node.agent !== agent || run.length === MAX_RUN) yield* written();
    agent = detail.node.agent;
    run.push(spanOf(detail));
  }
  yield* written();
  yield ']}\n';
}

/** Spans of one resource and scope. */
export function resourceSpans(spans: readonly SpanRecord[]): object {
  const [first] = spans;
  if (first === undefined) return { scopeSpans: [] };
  const { resource, scope } = first;
  return {
    resource: { attributes: keyValues(resource.attributes) },
    scopeSpans: [{ scope: { name: scope.name, version: scope.version }, spans: spans.map(spanJson) }],
  };
}

const STATUS_CODES = { UNSET: 0, OK: 1, ERROR: 2 } as const;
const SPAN_KIND_INTERNAL = 1;

function spanJson(span: SpanRecord): object {
  const { traceId, spanId, parentSpanId, name, start, end, status, statusMessage } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name,
    kind: SPAN_KIND_INTERNAL,
    startTimeUnixNano: nanos(start),
    // A step that still runs has none: 0 says so.
    endTimeUnixNano: end === undefined ? '0' : nanos(end),
    attributes: keyValues(span.attributes),
    ...(span.events.length > 0 && {
      events: span.events.map((event) => ({
        timeUnixNano: nanos(event.time),
        name: event.name,
        attributes: keyValues(event.attributes),
      })),
    }),
    ...(span.links.length > 0 && {
      links: span.links.map((link) => ({
        traceId: link.traceId,
        spanId: link.spanId,
        attributes: keyValues(link.attributes),
      })),
    }),
    status: { code: STATUS_CODES[status], ...(statusMessage !== '' && { message: statusMessage }) },
  };
}

/** OTLP has 64 bits without a sign for a time, 1970 to 2554: what else a receiver would refuse becomes the next that it takes. */
const MAX_NANOS = 2n ** 64n - 1n;

/** Milliseconds with their fraction as whole nanoseconds, in digits. */
function nanos(ms: number): string {
  const whole = Math.floor(ms);
  const exact = BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1_000_000));
  if (exact < 0n) return '0';
  return (exact > MAX_NANOS ? MAX_NANOS : exact).toString();
}

function keyValues(attributes: Attributes): object[] {
  return [...attributes].map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: AttributeValue | undefined): object {
  if (value === null || value === undefined) return {};
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (isList(value)) return { arrayValue: { values: value.map(anyValue) } };
  return {
    kvlistValue: {
      values: Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([key, item]) => ({ key, value: anyValue(item) })),
    },
  };
}

function isList(value: object): value is readonly AttributeValue[] {
  return Array.isArray(value);
}
