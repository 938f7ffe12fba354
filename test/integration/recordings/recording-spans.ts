import { toHexId } from './ids.ts';
import { isObject, listOf } from './otlp-json.ts';

/** What a recording says of a span: enough to look for it in the graph. Ids in hex. */
export interface RecordedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Absent for a root. */
  readonly parentSpanId?: string;
}

/** The spans of OTLP/JSON requests, read without the receiver's help; a span delivered twice is there twice. */
export function recordedSpans(requests: readonly object[]): readonly RecordedSpan[] {
  const found: RecordedSpan[] = [];
  for (const request of requests)
    for (const resource of listOf(request, 'resourceSpans'))
      for (const scope of listOf(resource, 'scopeSpans'))
        for (const span of listOf(scope, 'spans')) {
          const recorded = recordedSpan(span);
          if (recorded) found.push(recorded);
        }
  return found;
}

function recordedSpan(span: unknown): RecordedSpan | undefined {
  if (!isObject(span)) return undefined;
  const { traceId, spanId, parentSpanId } = span;
  if (typeof traceId !== 'string' || typeof spanId !== 'string') return undefined;
  const parent =
    typeof parentSpanId === 'string' && parentSpanId !== '' ? toHexId(parentSpanId, 8) : undefined;
  return {
    traceId: toHexId(traceId, 16),
    spanId: toHexId(spanId, 8),
    ...(parent !== undefined && !/^0+$/.test(parent) && { parentSpanId: parent }),
  };
}
