import type { MeasuredMetric, MetricFacts } from '../../model/metric-facts.ts';
import { firstFew, type Gathered } from './gather.ts';

/** Measurements of one metric in one step; of more the latest. A step that loops leaves one a round. */
const MAX_VALUES = 16;
/** Steps that measurements name and that have not come: they may be unsampled and never will. */
const MAX_WAITING = 10_000;
/** Metrics held for all steps together: about 40 MB. */
const MAX_HELD = 200_000;
const BYTES_PER_HELD = 200;

/** What was joined to one step. */
interface StepMetrics {
  readonly measured: Map<string, MeasuredMetric>;
  gathered: Gathered;
}

/** What all values of one measured metric share. */
export type MetricWords = Omit<MeasuredMetric, 'values'>;

const NOTHING: Gathered = new Map();

/** What has been joined, by source. Bounded: the step that something was first joined to longest ago loses it. */
export class JoinedMetrics {
  private readonly bySource = new Map<string, StepMetrics>();
  /** In the order in which they came. */
  private readonly waiting = new Set<string>();
  private readonly isThere: (source: string) => boolean;
  private held = 0;

  /** @param isThere has a step of this name come? */
  constructor(isThere: (source: string) => boolean) {
    this.isThere = isThere;
  }

  get size(): number {
    return this.bySource.size;
  }

  /** Estimated bytes for steps that are there. */
  get bytes(): number {
    return (this.held + this.bySource.size) * BYTES_PER_HELD - this.waitingBytes;
  }

  /** Estimated bytes for steps that have not come: their share by number. */
  get waitingBytes(): number {
    if (this.waiting.size === 0) return 0;
    return (
      Math.round((this.held * this.waiting.size) / this.bySource.size + this.waiting.size) * BYTES_PER_HELD
    );
  }

  get(source: string): StepMetrics | undefined {
    return this.bySource.get(source);
  }

  /** @returns false when it was known, or is not among those that are kept */
  addMeasurement(source: string, label: string, metric: MetricWords, time: number, value: number): boolean {
    const step = this.step(source);
    const held = step.measured.get(label);
    const values = withValue(held?.values ?? [], time, value);
    if (values === undefined) return false;
    this.setMeasured(step, label, { ...agreed(held, metric), values });
    this.holdBounds();
    return true;
  }

  setGathered(source: string, gathered: Gathered): void {
    const held = this.bySource.get(source);
    if (held === undefined && gathered.size === 0) return;
    const step = held ?? this.step(source);
    this.held += gathered.size - step.gathered.size;
    step.gathered = gathered;
    this.holdBounds();
  }

  /** The step has come: what waited for it stays as long as the step. @returns whether anything did */
  arrived(source: string): boolean {
    return this.waiting.delete(source);
  }

  forget(source: string): void {
    const step = this.bySource.get(source);
    if (step === undefined) return;
    this.bySource.delete(source);
    this.waiting.delete(source);
    this.held -= step.measured.size + step.gathered.size;
  }

  *facts(): Generator<MetricFacts> {
    for (const [source, { measured, gathered }] of this.bySource) {
      if (measured.size > 0 || gathered.size > 0) yield this.factsOf(source);
    }
  }

  /** Without metrics when there are none any more. */
  factsOf(source: string): MetricFacts {
    const step = this.bySource.get(source);
    return {
      kind: 'metric',
      source,
      ...(step && step.measured.size > 0 && { measured: Object.fromEntries(step.measured) }),
      ...(step && step.gathered.size > 0 && { gathered: Object.fromEntries(step.gathered) }),
    };
  }

  /** Of two states of one metric the one with more points counts. */
  restore({ source, measured = {}, gathered = {} }: MetricFacts): void {
    for (const [label, { values, ...metric }] of Object.entries(measured)) {
      for (const [time, value] of values) this.addMeasurement(source, label, metric, time, value);
    }
    const merged = new Map(this.bySource.get(source)?.gathered);
    for (const [label, metric] of Object.entries(gathered)) {
      const held = merged.get(label);
      if (held === undefined || metric.points > held.points) merged.set(label, metric);
    }
    this.setGathered(source, firstFew(merged));
  }

  private step(source: string): StepMetrics {
    const held = this.bySource.get(source);
    if (held !== undefined) return held;
    const made: StepMetrics = { measured: new Map(), gathered: NOTHING };
    this.bySource.set(source, made);
    if (!this.isThere(source)) this.waiting.add(source);
    return made;
  }

  private setMeasured(step: StepMetrics, label: string, metric: MeasuredMetric): void {
    const before = step.measured.size;
    step.measured.set(label, metric);
    const kept = firstFew(step.measured);
    for (const name of step.measured.keys()) if (!kept.has(name)) step.measured.delete(name);
    this.held += step.measured.size - before;
  }

  private holdBounds(): void {
    if (this.waiting.size > MAX_WAITING)
      this.forgetFirst(this.waiting, () => this.waiting.size > MAX_WAITING);
    if (this.held > MAX_HELD) this.forgetFirst(this.bySource.keys(), () => this.held > MAX_HELD);
  }

  private forgetFirst(sources: Iterable<string>, isTooMuch: () => boolean): void {
    for (const source of sources) {
      if (!isTooMuch()) return;
      this.forget(source);
    }
  }
}

/** Where two senders use one name differently: an order of content, whichever came first. */
function agreed(held: MetricWords | undefined, metric: MetricWords): MetricWords {
  if (held === undefined) return metric;
  const adds = held.adds === true || metric.adds === true;
  const unit = held.unit < metric.unit ? held.unit : metric.unit;
  return { unit, rank: Math.min(held.rank, metric.rank), ...(adds && { adds: true as const }) };
}

/** The values with one more, in order of time, then of value; undefined when nothing changes. */
function withValue(
  values: MeasuredMetric['values'],
  time: number,
  value: number,
): MeasuredMetric['values'] | undefined {
  let at = values.length;
  while (at > 0 && isAfter(values[at - 1], time, value)) at--;
  const before = values[at - 1];
  if (before !== undefined && before[0] === time && before[1] === value) return undefined;
  if (at === 0 && values.length >= MAX_VALUES) return undefined;
  return values.toSpliced(at, 0, [time, value]).slice(-MAX_VALUES);
}

function isAfter(held: readonly [number, number] | undefined, time: number, value: number): boolean {
  return held !== undefined && (held[0] > time || (held[0] === time && held[1] > value));
}
