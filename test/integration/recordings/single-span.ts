import { basename } from 'node:path';
import { toHexId } from './ids.ts';
import { oneRequest, toKeyValues, toNanos, type ExportRequest, type JsonObject } from './otlp-json.ts';

/**
 * A span stripped of ids and times: `{scopeName, spanName, attributes}`. They are made up of the file's name, so
 * that they are the same each time and wherever the file lies.
 */
export function fromSingleSpan(document: JsonObject, name: string): readonly ExportRequest[] {
  const file = basename(name);
  const span = {
    traceId: toHexId(`trace of ${file}`, 16),
    spanId: toHexId(`span of ${file}`, 8),
    name: String(document['spanName']),
    kind: 1,
    startTimeUnixNano: toNanos('2026-06-06T08:25:00Z'),
    endTimeUnixNano: toNanos('2026-06-06T08:25:01Z'),
    attributes: toKeyValues(document['attributes']),
    status: { code: 0 },
  };
  return [oneRequest({}, { name: String(document['scopeName']) }, [span])];
}
