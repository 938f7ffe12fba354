import { toHexId } from './ids.ts';
import { oneRequest, toKeyValues, toNanos, type ExportRequest, type JsonObject } from './otlp-json.ts';

/** A span stripped of ids and times: `{scopeName, spanName, attributes}`. They are made up, the same ones each time. */
export function fromSingleSpan(document: JsonObject, name: string): readonly ExportRequest[] {
  const span = {
    traceId: toHexId(`trace of ${name}`, 16),
    spanId: toHexId(`span of ${name}`, 8),
    name: String(document['spanName']),
    kind: 1,
    startTimeUnixNano: toNanos('2026-06-06T08:25:00Z'),
    endTimeUnixNano: toNanos('2026-06-06T08:25:01Z'),
    attributes: toKeyValues(document['attributes']),
    status: { code: 0 },
  };
  return [oneRequest({}, { name: String(document['scopeName']) }, [span])];
}
