import type { AttributeValue } from '../model/attributes.ts';
import { epochMs } from '../model/time.ts';
import type { SafeSpan } from './convention.ts';

export interface SpanSketch {
  readonly name?: string;
  readonly scope?: string;
  readonly status?: 'UNSET' | 'OK' | 'ERROR';
  readonly statusMessage?: string;
  readonly service?: string;
  readonly durationMs?: number;
  readonly events?: readonly { readonly name: string; readonly attributes: Record<string, AttributeValue> }[];
}

/** A span of given attributes for tests and benchmarks; 100 ms long unless said otherwise. */
export function spanOf(attributes: Record<string, AttributeValue>, sketch: SpanSketch = {}): SafeSpan {
  const start = epochMs(1_750_000_000_000);
  const durationMs = sketch.durationMs ?? 100;
  const span = {
    kind: 'span' as const,
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    parentSpanId: undefined,
    name: sketch.name ?? 'step',
    start,
    end: epochMs(start + durationMs),
    durationMs,
    status: sketch.status ?? ('UNSET' as const),
    statusMessage: sketch.statusMessage ?? '',
    traceState: '',
    attributes: new Map(Object.entries(attributes)),
    events: (sketch.events ?? []).map((event) => ({
      name: event.name,
      time: start,
      attributes: new Map(Object.entries(event.attributes)),
    })),
    links: [],
    scope: { name: sketch.scope ?? '', version: '', attributes: new Map() },
    resource: { attributes: new Map(sketch.service === undefined ? [] : [['service.name', sketch.service]]) },
  };
  return span as unknown as SafeSpan;
}
