import type { GatheredMetric, MeasuredMetric, NodeMetric } from '../../model/metric-facts.ts';
import { MAX_METRICS, firstFew } from './gather.ts';

/** Sums of doubles in another order differ in their last digits; these are more than any sensor has. */
const DIGITS = 12;

interface Ranked {
  readonly rank: number;
  readonly metric: NodeMetric;
}

/** What was joined to the sources of one node. */
export interface Joined {
  readonly measured: ReadonlyMap<string, MeasuredMetric> | undefined;
  readonly gathered: ReadonlyMap<string, GatheredMetric> | undefined;
}

/**
 * `details.metrics` of a node, by label, at most MAX_METRICS: what names a span of it goes before what was found
 * by resource and time; of several spans the one with more points counts.
 */
export function showMetrics(
  sources: readonly Joined[],
): { readonly [label: string]: NodeMetric } | undefined {
  const shown = new Map<string, Ranked>();
  for (const { measured, gathered } of sources) {
    for (const [label, { rank, ...metric }] of measured ?? []) {
      put(shown, label, { rank, metric: ofMeasured(metric) });
    }
    for (const [label, { rank, ...metric }] of gathered ?? []) {
      put(shown, label, { rank, metric: ofGathered(metric) });
    }
  }
  if (shown.size === 0) return undefined;
  const kept = [...firstFew(shown)].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(kept.slice(0, MAX_METRICS).map(([label, { metric }]) => [label, metric]));
}

function put(shown: Map<string, Ranked>, label: string, ranked: Ranked): void {
  const held = shown.get(label);
  if (held === undefined || isBetter(ranked.metric, held.metric)) shown.set(label, ranked);
}

function isBetter(a: NodeMetric, b: NodeMetric): boolean {
  if (a.by !== b.by) return a.by === 'exemplar';
  // Beyond the number of points any order of content does, so that the order of the sources does not matter.
  for (const field of ['points', 'sum', 'max', 'last', 'min'] as const) {
    const [x = 0, y = 0] = [a[field], b[field]];
    if (x !== y) return x > y;
  }
  return a.unit > b.unit;
}

function ofMeasured({ values, unit, adds }: Omit<MeasuredMetric, 'rank'>): NodeMetric {
  let sum = 0;
  let min = Infinity;
  let max = -Infinity;
  for (const [, value] of values) {
    sum += value;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  const last = values.at(-1)?.[1] ?? NaN;
  return metric({ last, min, max, sum, points: values.length, unit, adds }, 'exemplar');
}

function ofGathered(gathered: Omit<GatheredMetric, 'rank'>): NodeMetric {
  return metric(gathered, 'resource and time');
}

function metric(
  of: Pick<GatheredMetric, 'last' | 'min' | 'max' | 'sum' | 'points' | 'unit'> & {
    readonly adds?: true | undefined;
  },
  by: NodeMetric['by'],
): NodeMetric {
  return {
    last: round(of.last),
    min: round(of.min),
    max: round(of.max),
    avg: round(of.sum / of.points),
    points: of.points,
    ...(of.adds === true && { sum: round(of.sum) }),
    unit: of.unit,
    by,
  };
}

function round(value: number): number {
  return Number(value.toPrecision(DIGITS));
}
