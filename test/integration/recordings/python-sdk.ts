import { toHexId } from './ids.ts';
import {
  isObject,
  oneRequest,
  toKeyValues,
  type ExportRequest,
  type JsonObject,
  type Span,
} from './otlp-json.ts';

/**
 * The Python SDK's span JSON: `{spans: [{context, parent, start_time, …}]}` with ids as 128-bit and 64-bit
 * integers and times as integer nanoseconds; both must have been parsed without losing digits (see parse.ts).
 */
export function fromPythonSdk(document: JsonObject): readonly ExportRequest[] {
  const spans = Array.isArray(document['spans']) ? document['spans'].filter(isObject) : [];
  return spans.map((span) => {
    const resource = isObject(span['resource']) ? span['resource']['attributes'] : {};
    return oneRequest(resource, { name: scopeOf(span) }, [convert(span)]);
  });
}

function scopeOf(span: JsonObject): string {
  const scope = span['instrumentation_scope'];
  return isObject(scope) ? String(scope['name']) : '';
}

const STATUS: Readonly<Record<string, number>> = { unset: 0, ok: 1, error: 2 };

function convert(span: JsonObject): Span {
  const context = isObject(span['context']) ? span['context'] : {};
  const parent = isObject(span['parent']) ? span['parent']['span_id'] : undefined;
  const status = isObject(span['status']) ? span['status'] : {};
  const message = status['description'];
  return {
    traceId: toHexId(String(context['trace_id']), 16),
    spanId: toHexId(String(context['span_id']), 8),
    ...(isNumeral(parent) ? { parentSpanId: toHexId(String(parent), 8) } : {}),
    name: String(span['name']),
    kind: 1,
    startTimeUnixNano: String(span['start_time']),
    endTimeUnixNano: String(span['end_time']),
    attributes: toKeyValues(span['attributes']),
    status: {
      code: STATUS[String(status['status_code']).toLowerCase()] ?? 0,
      ...(typeof message === 'string' ? { message } : {}),
    },
  };
}

/** An id as the parser gives it: a number, or digits where a number would have lost some. */
function isNumeral(value: unknown): value is number | string {
  return typeof value === 'number' || typeof value === 'string';
}
