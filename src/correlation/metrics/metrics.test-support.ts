import { safe } from '../../../test/support/world.ts';
import type { AttributeValue } from '../../model/attributes.ts';
import type { SpanFacts, StepFacts } from '../../model/facts.ts';
import { spanKey } from '../../model/ids.ts';
import type { NodeMetric } from '../../model/metric-facts.ts';
import type { Redacted } from '../../model/pipeline.ts';
import type { MetricExemplar, MetricRecord } from '../../model/records.ts';
import { resourceKeyOf } from '../../model/resource-key.ts';
import { epochMs } from '../../model/time.ts';
import { NodeMetrics } from '../node-metrics.ts';
import type { MeasurableFacts } from './places.ts';

/** Times are seconds after this. */
export const T0 = 1_750_000_000_000;
export const TRACE = 'a'.repeat(32);

interface Words {
  readonly [key: string]: AttributeValue;
}

/** A place as a resource's attributes name it. */
export function resource(words: Words | string = 'svc'): MetricRecord['resource'] {
  return {
    attributes: new Map(Object.entries(typeof words === 'string' ? { 'service.name': words } : words)),
  };
}

export interface StepWords extends Partial<StepFacts> {
  readonly from?: number;
  readonly to?: number | 'running';
  readonly at?: Words | string;
  readonly root?: boolean;
}

export function step(digit: number, words: StepWords = {}): SpanFacts {
  const { from = 0, to = 10, at = 'svc', root = false, ...rest } = words;
  return {
    kind: 'span',
    traceId: TRACE,
    spanId: spanIdOf(digit),
    ...(!root && { parentSpanId: 'f'.repeat(16) }),
    name: 'step',
    start: epochMs(T0 + from * 1000),
    ...(to !== 'running' && { end: epochMs(T0 + to * 1000) }),
    step: {
      type: 'LLM_CALL',
      status: 'OK',
      details: {},
      resourceKey: resourceKeyOf(resource(at).attributes),
      ...rest,
    },
  };
}

export function spanIdOf(digit: number): string {
  return digit.toString(16).padStart(16, '0');
}

export function sourceOf(digit: number): string {
  return spanKey(TRACE, spanIdOf(digit));
}

export interface MetricWords extends Partial<
  Omit<MetricRecord, 'time' | 'start' | 'attributes' | 'resource'>
> {
  readonly time?: number;
  readonly start?: number;
  readonly attrs?: Words;
  readonly at?: Words | string;
}

/** A point of a gauge, unless said otherwise. */
export function point(name: string, words: MetricWords = {}): Redacted<MetricRecord> {
  const { time = 5, start, attrs = {}, at = 'svc', ...rest } = words;
  return safe({
    kind: 'metric' as const,
    name,
    unit: '1',
    instrument: 'gauge',
    temporality: undefined,
    monotonic: false,
    value: 1,
    exemplars: [],
    scope: { name: 's', version: '', attributes: new Map() },
    ...rest,
    time: epochMs(T0 + time * 1000),
    start: start === undefined ? undefined : epochMs(T0 + start * 1000),
    attributes: new Map(Object.entries(attrs)),
    resource: resource(at),
  });
}

export function exemplar(digit: number, value: number, time = 5): MetricExemplar {
  return { traceId: TRACE, spanId: spanIdOf(digit), time: epochMs(T0 + time * 1000), value };
}

type Metrics = { readonly [label: string]: NodeMetric } | undefined;

/** NodeMetrics with one node a step, made anew only when told: as the correlator uses it. */
export class Bench {
  readonly steps = new Map<string, { facts: MeasurableFacts }>();
  readonly metrics = new NodeMetrics({ steps: this.steps });
  readonly shown = new Map<string, Metrics>();

  /** Takes steps and points in this order, each a batch of its own. */
  take(...items: readonly (SpanFacts | Redacted<MetricRecord>)[]): this {
    for (const item of items) {
      if (item.kind === 'span') this.takeStep(item);
      else this.metrics.add(item);
      this.settle();
    }
    return this;
  }

  settle(): void {
    for (const source of this.metrics.takeChanged()) this.build(source);
  }

  of(digit: number): Metrics {
    return this.shown.get(sourceOf(digit));
  }

  forget(digit: number): void {
    this.steps.delete(sourceOf(digit));
    this.shown.delete(sourceOf(digit));
    this.metrics.forget(sourceOf(digit));
  }

  /** The end of a running step is not unlearned, whatever comes later. */
  private takeStep(facts: SpanFacts): void {
    const source = spanKey(facts.traceId, facts.spanId);
    const held = this.steps.get(source)?.facts;
    if (held?.end !== undefined && facts.end === undefined) return;
    this.steps.set(source, { facts });
    this.metrics.stepChanged(source, facts);
    this.build(source);
  }

  private build(source: string): void {
    const metrics = this.metrics.of([{ key: source }]);
    if (metrics === undefined) this.shown.delete(source);
    else this.shown.set(source, metrics);
  }
}
