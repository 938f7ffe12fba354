import { canonicalAgent } from '../../model/agent.ts';
import type { MetricRecord } from '../../model/records.ts';
import type { MetricClass } from './metric-classes.ts';
import { firstText, labelOf } from './metric-label.ts';

/** A piece of what was measured: of how many values, and which. */
export interface Sample {
  readonly time: number;
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

/** Numbers of one point in the array: time, start, count, sum, min, max; NaN where unknown. */
const STRIDE = 6;
const [START, COUNT, SUM, MIN, MAX] = [1, 2, 3, 4, 5] as const;

/** One time series: the points of one metric with the same attributes from one resource, in order of time. */
export class Series {
  readonly id: string;
  readonly label: string;
  readonly unit: string;
  readonly metric: MetricClass;
  /** What its points tell of, where the sender says so; the agent in its canonical form. */
  readonly model: string | undefined;
  readonly agent: string | undefined;
  /** Do its values add up? */
  readonly adds: boolean;
  /** Is a point what came together since the beginning, so that the point before it has to be taken off? */
  readonly isCumulative: boolean;
  private readonly isNumber: boolean;
  /** One flat array of doubles: a fifth of what an object a point would take. */
  private readonly rows: number[] = [];

  constructor(id: string, record: MetricRecord, metric: MetricClass) {
    const { instrument, temporality, monotonic, attributes, value } = record;
    this.id = id;
    this.label = labelOf(record);
    this.unit = record.unit;
    this.metric = metric;
    this.model = firstText(attributes, ['gen_ai.response.model', 'gen_ai.request.model', 'model']);
    const agent = firstText(attributes, ['gen_ai.agent.name', 'agent.name']);
    this.agent = agent === undefined ? undefined : canonicalAgent(agent);
    this.isNumber = typeof value === 'number';
    // A sum that can fall is a level (requests under way, bytes in use), not something that comes together.
    const isLevel = instrument === 'gauge' || (instrument === 'sum' && !monotonic && temporality !== 'delta');
    this.adds = !isLevel;
    this.isCumulative = !isLevel && temporality !== 'delta';
  }

  get size(): number {
    return this.rows.length / STRIDE;
  }

  /** Time of the first point; Infinity when there is none. */
  get first(): number {
    return this.rows[0] ?? Infinity;
  }

  get last(): number {
    return this.rows.at(-STRIDE) ?? -Infinity;
  }

  /**
   * Puts a point in its place; of two of the same time the greater one stays.
   * @returns until when what is known has changed: a point in between changes the difference to the next one too;
   * undefined when it says nothing new
   */
  add({ time, start, value }: MetricRecord): number | undefined {
    const point =
      typeof value === 'number'
        ? [time, start ?? NaN, 1, value, value, value]
        : [time, start ?? NaN, value.count, value.sum ?? NaN, value.min ?? NaN, value.max ?? NaN];
    const at = this.positionOf(time);
    const isHeld = this.rows[at] === time;
    if (isHeld && !isGreater(point, this.rows.slice(at, at + STRIDE))) return undefined;
    if (at === this.rows.length) this.rows.push(...point);
    else this.rows.splice(at, isHeld ? STRIDE : 0, ...point);
    return this.isCumulative ? (this.rows[at + STRIDE] ?? time) : time;
  }

  /** Forgets the oldest point. @returns through which time what it tells is now incomplete */
  dropFirst(): number {
    const [gone = -Infinity] = this.rows.splice(0, STRIDE);
    return this.isCumulative ? Math.max(gone, this.rows[0] ?? gone) : gone;
  }

  /**
   * What was measured at times in [from, to] and later than `after`.
   * @param isComplete nothing since `from` has been forgotten
   */
  *samples(from: number, to: number, after: number, isComplete: boolean): Generator<Sample> {
    for (let i = this.positionOf(Math.max(from, after)); i < this.rows.length; i += STRIDE) {
      if (this.at(i) > to) return;
      if (this.at(i) <= after) continue;
      const sample = i === 0 && this.isCumulative ? this.firstSample(from, isComplete) : this.sampleAt(i);
      if (sample !== undefined && Number.isFinite(sample.sum) && sample.count > 0) yield sample;
    }
  }

  /** How much of the first point came together before anybody looked is known only if that began later. */
  private firstSample(from: number, isComplete: boolean): Sample | undefined {
    return isComplete && this.at(START) >= from ? this.whole(0) : undefined;
  }

  private sampleAt(i: number): Sample {
    const time = this.at(i);
    const before = i - STRIDE;
    // Not since the beginning, or since a beginning after the point before it: the program was started anew.
    if (!this.isCumulative || this.at(i + START) >= this.at(before)) return this.whole(i);
    const count = this.at(i + COUNT) - this.at(before + COUNT);
    const sum = this.at(i + SUM) - this.at(before + SUM);
    if (this.isNumber) return sum < 0 ? this.whole(i) : { time, count: 1, sum, min: sum, max: sum };
    if (count < 0) return this.whole(i);
    // Least and greatest value are of the whole time; of the last piece only the mean is known.
    return { time, count, sum, min: sum / count, max: sum / count };
  }

  private whole(i: number): Sample {
    const count = this.at(i + COUNT);
    const sum = this.at(i + SUM);
    const min = this.at(i + MIN);
    const max = this.at(i + MAX);
    const mean = sum / count;
    return {
      time: this.at(i),
      count,
      sum,
      min: Number.isNaN(min) ? mean : min,
      max: Number.isNaN(max) ? mean : max,
    };
  }

  /** Where the first point stands that is not before `time`. */
  private positionOf(time: number): number {
    let low = 0;
    let high = this.size;
    // Nearly always a new point is the last one.
    if (high > 0 && this.last < time) return this.rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle * STRIDE) < time) low = middle + 1;
      else high = middle;
    }
    return low * STRIDE;
  }

  private at(index: number): number {
    return this.rows[index] ?? NaN;
  }
}

/** Of contradicting points the one that counted more; an order of content, whichever came first. */
function isGreater(a: readonly number[], b: readonly number[]): boolean {
  for (const field of [COUNT, SUM, MAX, MIN, START]) {
    const [x = NaN, y = NaN] = [a[field], b[field]];
    if (x > y || (Number.isNaN(y) && !Number.isNaN(x))) return true;
    if (x < y || (Number.isNaN(x) && !Number.isNaN(y))) return false;
  }
  return false;
}
