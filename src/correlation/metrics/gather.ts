import type { GatheredMetric } from '../../model/metric-facts.ts';
import { isSameModel } from '../../model/model-name.ts';
import type { PointStore } from './point-store.ts';
import type { Sample, Series } from './series.ts';
import type { Timed } from './steps-by-time.ts';

/** A step as far as metrics of its surroundings are concerned. */
export interface MeasurableStep extends Timed {
  readonly source: string;
  /** What it was made of: the same object says nothing new. */
  readonly facts: object;
  /** Infinity while it runs. */
  readonly end: number;
  /** Keys of the program and the machine that it ran in. */
  readonly places: readonly string[];
  /** An agent, a chain, the root of a trace: made of other steps. */
  readonly isWhole: boolean;
  readonly model: string | undefined;
  /** Canonical. */
  readonly agent: string | undefined;
}

export type Gathered = ReadonlyMap<string, GatheredMetric>;

/** Labels of one step; the ones of the lowest rank, then by name. */
export const MAX_METRICS = 16;

/**
 * What the surroundings of a step measured while it ran. What had been gathered (`held`) is gone on from where
 * nothing up to its end has changed (`changedFrom`, a time), or where the points of the step's beginning are
 * forgotten already.
 */
export function gather(
  step: MeasurableStep,
  store: PointStore,
  held: Gathered | undefined,
  changedFrom: number,
): Gathered {
  const isComplete = step.places.every((place) => store.isCompleteSince(place, step.start));
  const isUnchanged = held !== undefined && latestOf(held) < changedFrom;
  const base = held !== undefined && (isUnchanged || !isComplete) ? held : NOTHING;
  const result = new Map<string, Mutable>();
  for (const [label, metric] of base) if (metric.through <= step.end) result.set(label, { ...metric });
  for (const place of step.places) {
    for (const series of store.get(place)?.inOrder() ?? []) {
      if (!tellsOf(series, step)) continue;
      const known = base.get(series.label);
      const after = known !== undefined && known.through <= step.end ? known.through : -Infinity;
      for (const sample of series.samples(step.start, step.end, after, isComplete)) {
        addSample(result, series, sample);
      }
    }
  }
  return firstFew(result);
}

const NOTHING: Gathered = new Map();

function latestOf(gathered: Gathered): number {
  let latest = -Infinity;
  for (const { through } of gathered.values()) latest = Math.max(latest, through);
  return latest;
}

type Mutable = { -readonly [Field in keyof GatheredMetric]: GatheredMetric[Field] };

function addSample(result: Map<string, Mutable>, series: Series, sample: Sample): void {
  const held = result.get(series.label);
  const value = sample.sum / sample.count;
  if (held === undefined) {
    const { count, sum, min, max, time } = sample;
    const { unit, metric, adds } = series;
    const made: Mutable = {
      unit,
      rank: metric.rank,
      points: count,
      sum,
      min,
      max,
      last: value,
      through: time,
    };
    if (adds) made.adds = true;
    result.set(series.label, made);
    return;
  }
  held.points += sample.count;
  held.sum += sample.sum;
  held.min = Math.min(held.min, sample.min);
  held.max = Math.max(held.max, sample.max);
  if (sample.time > held.through || (sample.time === held.through && value > held.last)) held.last = value;
  held.through = Math.max(held.through, sample.time);
}

function tellsOf({ metric, model, agent }: Series, step: MeasurableStep): boolean {
  if (metric.explains === 'wholes' && !step.isWhole) return false;
  if (model !== undefined && step.model !== undefined && !isSameModel(model, step.model)) return false;
  return agent === undefined || step.agent === undefined || agent === step.agent;
}

/** Those of the lowest rank, then by label: the same whatever came first. */
export function firstFew<T extends { readonly rank: number }>(metrics: Map<string, T>): Map<string, T> {
  if (metrics.size <= MAX_METRICS) return metrics;
  const sorted = [...metrics].sort(([a, x], [b, y]) => x.rank - y.rank || (a < b ? -1 : 1));
  return new Map(sorted.slice(0, MAX_METRICS));
}
