import { NO_ATTRIBUTES, type AttributeValue } from '../../src/model/attributes.ts';
import type { SpanRecord } from '../../src/model/records.ts';
import { epochMs } from '../../src/model/time.ts';

/** What the contract suite feeds: spans of the spec's own convention. */
export interface SpanSketch {
  /** Also the task: small numbers that become W3C ids. */
  readonly trace: number;
  readonly span: number;
  readonly parent?: number;
  readonly name: string;
  readonly agent?: string;
  readonly status?: 'OK' | 'ERROR';
  readonly latencyMs?: number;
  readonly costUsd?: number;
  readonly summary?: string;
  /** Beside the others, or in their place; undefined takes one away. */
  readonly attributes?: { readonly [key: string]: AttributeValue | undefined };
}

const START = Date.UTC(2025, 5, 20, 14, 0, 0);

export function span(sketch: SpanSketch): SpanRecord {
  const start = START + sketch.span * 1000;
  const latencyMs = sketch.latencyMs ?? 500;
  const attributes = new Map<string, AttributeValue>([
    ['component', sketch.agent ?? 'model-adapter'],
    ['model.name', 'test-model'],
    ['taskID', taskId(sketch.trace)],
    ['latency.ms', latencyMs],
  ]);
  if (sketch.costUsd !== undefined) attributes.set('cost.usd', sketch.costUsd);
  if (sketch.summary !== undefined) attributes.set('prompt.summary', sketch.summary);
  for (const [key, value] of Object.entries(sketch.attributes ?? {})) {
    if (value === undefined) attributes.delete(key);
    else attributes.set(key, value);
  }
  return {
    kind: 'span',
    traceId: traceId(sketch.trace),
    spanId: spanId(sketch.span),
    parentSpanId: sketch.parent === undefined ? undefined : spanId(sketch.parent),
    name: sketch.name,
    start: epochMs(start),
    end: epochMs(start + latencyMs),
    durationMs: latencyMs,
    status: sketch.status ?? 'OK',
    statusMessage: '',
    traceState: '',
    attributes,
    events: [],
    links: [],
    scope: { name: 'contract', version: '', attributes: NO_ATTRIBUTES },
    resource: { attributes: new Map([['service.name', 'contract']]) },
  };
}

export function taskId(trace: number): string {
  return `task-${trace}`;
}

export function traceId(trace: number): string {
  return trace.toString(16).padStart(32, '0');
}

export function spanId(span: number): string {
  return span.toString(16).padStart(16, '0');
}
