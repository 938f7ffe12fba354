import { NEVER_OVER, seldom, type IsOver } from '../base/in-turns.ts';
import { spanKey } from '../model/ids.ts';
import type { MetricFacts, NodeMetric } from '../model/metric-facts.ts';
import type { Redacted } from '../model/pipeline.ts';
import type { MetricRecord } from '../model/records.ts';
import { gather, type MeasurableStep } from './metrics/gather.ts';
import { JoinedMetrics } from './metrics/joined-metrics.ts';
import {
  UNCLASSIFIED_RANK,
  defaultMetrics,
  type MetricClass,
  type MetricMatcher,
} from './metrics/metric-classes.ts';
import { isMetricName, labelOf } from './metrics/metric-label.ts';
import { measurableStep, placeOf, type MeasurableFacts } from './metrics/places.ts';
import { PointStore } from './metrics/point-store.ts';
import { showMetrics } from './metrics/show-metrics.ts';
import { StepsByTime } from './metrics/steps-by-time.ts';

export interface NodeMetricsOptions {
  /** Everything that has come, by source key: read when the first metric comes, and to see what is there. */
  readonly steps: Iterable<readonly [source: string, step: { readonly facts: MeasurableFacts }]> & {
    has(source: string): boolean;
  };
  /** Which metrics are joined by resource and time. Default: `defaultMetrics`. */
  readonly matches?: MetricMatcher;
}

/** Measured: the object, its place in the maps, and up to seven places in the index by time. */
const BYTES_PER_STEP = 600;

/** Names of metrics whose class is remembered: programs have a few dozen. */
const MAX_NAMES = 1024;

interface Change {
  from: number;
  to: number;
}

/**
 * Metrics beside the graph: what was measured in a step, or around it while it ran. A measurement that names a
 * span (an exemplar) belongs to it; other points belong to the steps of the same program, or of the same machine,
 * that ran at their time. Any order of arrival gives the same, as long as the points are not older than what is
 * kept of their resource. Nothing is indexed before the first metric comes.
 */
export class NodeMetrics {
  private readonly options: NodeMetricsOptions;
  private readonly matches: MetricMatcher;
  private readonly classes = new Map<string, MetricClass | undefined>();
  private readonly points = new PointStore();
  private readonly joined: JoinedMetrics;
  /** Steps that can be joined by resource and time, from the first such metric on. */
  private readonly steps = new Map<string, MeasurableStep>();
  private readonly byPlace = new Map<string, StepsByTime<MeasurableStep>>();
  private isIndexed = false;
  /** What had come before the first such metric and is not indexed yet. */
  private unindexed:
    Iterator<readonly [source: string, step: { readonly facts: MeasurableFacts }]> | undefined;
  /** Times at which something new was measured, by place, since the last `takeChanged`. */
  private readonly changes = new Map<string, Change>();
  private readonly changed = new Set<string>();
  /** A look for steps that ran at those times, which goes on where it was left. */
  private look: Iterator<void> | undefined;
  /** Sources whose metrics are not kept yet as they are now; those that run stand aside, so that nobody walks over them. */
  private readonly unkept = new Set<string>();
  private readonly unended = new Set<string>();
  /** Steps that have to be looked at again, and from what time on their surroundings measured something new. */
  private readonly stale = new Map<string, number>();

  constructor(options: NodeMetricsOptions) {
    this.options = options;
    this.matches = options.matches ?? defaultMetrics;
    this.joined = new JoinedMetrics((source) => options.steps.has(source));
  }

  /** Estimated bytes held for steps that are there: they go when the steps go. */
  get bytes(): number {
    return this.joined.bytes + this.steps.size * BYTES_PER_STEP;
  }

  /** Estimated bytes of what belongs to no step: points, and what waits for a step. At most some 60 MB. */
  get looseBytes(): number {
    return this.points.bytes + this.joined.waitingBytes;
  }

  /** Takes a point; which steps it tells of, `takeChanged` says once for a whole batch. */
  add(record: Redacted<MetricRecord>): void {
    if (!isMetricName(record.name)) return;
    const metric = this.classOf(record.name);
    if (record.exemplars.length > 0) this.addMeasurements(record, metric?.rank ?? UNCLASSIFIED_RANK);
    if (metric === undefined || (typeof record.value === 'object' && record.value.sum === undefined)) return;
    const place = placeOf(record, metric.ofMachine);
    if (place === undefined) return;
    this.index();
    const until = this.points.add(place, record, metric);
    if (until === undefined) return;
    const change = this.changes.get(place);
    if (change === undefined) this.changes.set(place, { from: record.time, to: until });
    else {
      change.from = Math.min(change.from, record.time);
      change.to = Math.max(change.to, until);
    }
  }

  /** A step came, or is now known otherwise. */
  stepChanged(source: string, facts: MeasurableFacts): void {
    if (this.joined.arrived(source)) this.unkept.add(source);
    if (this.isIndexed) this.place(source, facts);
  }

  /** The end of a running step is no longer waited for: it keeps what it has, and no further point is of it. */
  freeze(source: string, facts: MeasurableFacts): void {
    if (this.isIndexed) this.place(source, facts);
    // What has changed around it may not have been looked at yet.
    if (this.steps.has(source)) {
      this.stale.set(source, -Infinity);
      this.changed.add(source);
    }
    this.refresh(source);
    this.unplace(source);
  }

  /** The step is gone, and with it what was joined to it. */
  forget(source: string): void {
    this.joined.forget(source);
    this.unplace(source);
    this.changed.delete(source);
    this.unkept.delete(source);
  }

  /**
   * Sources that are there and of which `of` may now say something else, each once.
   * @param isLate asked between short steps whether to end before all were given; the next call goes on
   */
  *takeChanged(isLate: IsOver = NEVER_OVER): Generator<string> {
    if (!this.findChanged(isLate)) return;
    for (const source of this.changed) {
      this.changed.delete(source);
      yield source;
      if (isLate()) return;
    }
  }

  /** Was everything given by `takeChanged`? */
  get isUpToDate(): boolean {
    return this.changed.size === 0 && !this.hasToLook;
  }

  /** May `takeUnkept` give something? */
  get hasUnkept(): boolean {
    return this.unkept.size > 0;
  }

  /** May `of` now say something else of this source? It is not given by `takeChanged` again. */
  takeIfChanged(source: string): boolean {
    return this.changed.delete(source);
  }

  /** `details.metrics` of the node that stands for these, in any order; undefined when nothing was joined. */
  of(sources: readonly { readonly key: string }[]): { readonly [label: string]: NodeMetric } | undefined {
    if (this.stale.size === 0 && this.joined.size === 0) return undefined;
    const joined = sources.flatMap(({ key }) => {
      this.refresh(key);
      const step = this.joined.get(key);
      return step === undefined ? [] : [step];
    });
    return joined.length === 0 ? undefined : showMetrics(joined);
  }

  /**
   * What is to be kept over a restart and changed since the last time: each the whole of what was joined to a step
   * that is there, in place of what was kept of it before. What is gathered around a running step changes with every
   * export, so it is kept when the step has ended.
   * @param all those that run as well: for a clean stop
   * @param isLate asked after each whether to leave the rest for the next call
   */
  takeUnkept(all = false, isLate: IsOver = NEVER_OVER): readonly MetricFacts[] {
    if (all) {
      for (const source of this.unended) this.unkept.add(source);
      this.unended.clear();
    }
    const taken: MetricFacts[] = [];
    for (const source of this.unkept) {
      this.unkept.delete(source);
      if (!all && this.isRunning(source)) {
        this.unended.add(source);
        continue;
      }
      taken.push(this.joined.factsOf(source));
      if (isLate()) break;
    }
    return taken;
  }

  /** They could not be kept: they are given again the next time. */
  notKept(facts: readonly MetricFacts[]): void {
    for (const { source } of facts) if (this.options.steps.has(source)) this.unkept.add(source);
  }

  /** Everything that was joined. Points that joined nothing yet are not in it. */
  *facts(): Generator<MetricFacts> {
    this.findChanged();
    for (const source of this.stale.keys()) this.refresh(source);
    yield* this.joined.facts();
  }

  /** Takes what was kept over a restart, before or after the step it belongs to. */
  restore(facts: MetricFacts): void {
    this.joined.restore(facts);
    for (const { through } of Object.values(facts.gathered ?? {})) this.points.forgetThrough(through);
    if (this.options.steps.has(facts.source)) this.changed.add(facts.source);
  }

  private get hasToLook(): boolean {
    return this.look !== undefined || this.unindexed !== undefined || this.changes.size > 0;
  }

  /** @returns whether all were found that have to be looked at again; else the next call goes on */
  private findChanged(isLate: IsOver = NEVER_OVER): boolean {
    const mustWait = seldom(isLate);
    while (this.hasToLook) {
      this.look ??= this.lookForChanged();
      while (this.look.next().done !== true) if (mustWait()) return false;
      this.look = undefined;
    }
    return true;
  }

  /** Yields after each step. What is added meanwhile is looked for by the next look. */
  private *lookForChanged(): Generator<void> {
    for (let next = this.unindexed?.next(); next?.done === false; next = this.unindexed?.next()) {
      const [source, { facts }] = next.value;
      this.place(source, facts);
      yield;
    }
    this.unindexed = undefined;
    for (const [place, { from, to }] of this.changes) {
      this.changes.delete(place);
      for (const step of this.byPlace.get(place)?.overlapping(from, to) ?? []) {
        this.stale.set(step.source, Math.min(from, this.stale.get(step.source) ?? Infinity));
        this.changed.add(step.source);
        yield;
      }
    }
  }

  private classOf(name: string): MetricClass | undefined {
    if (this.classes.has(name)) return this.classes.get(name);
    const found = this.matches(name);
    if (this.classes.size >= MAX_NAMES) this.classes.clear();
    this.classes.set(name, found);
    return found;
  }

  private addMeasurements(record: MetricRecord, rank: number): void {
    const label = labelOf(record);
    const adds = record.instrument !== 'gauge' && (record.instrument !== 'sum' || record.monotonic);
    const metric = { unit: record.unit, rank, ...(adds && { adds: true as const }) };
    for (const { traceId, spanId, time, value } of record.exemplars) {
      const source = spanKey(traceId, spanId);
      const isNew = this.joined.addMeasurement(source, label, metric, time, value);
      if (!isNew || !this.options.steps.has(source)) continue;
      this.changed.add(source);
      this.unkept.add(source);
    }
  }

  private refresh(source: string): void {
    const changedFrom = this.stale.get(source);
    const step = this.steps.get(source);
    if (changedFrom === undefined || step === undefined) return;
    this.stale.delete(source);
    const held = this.joined.get(source)?.gathered;
    const gathered = gather(step, this.points, held, changedFrom);
    if (gathered.size === 0 && (held?.size ?? 0) === 0) return;
    this.joined.setGathered(source, gathered);
    this.unkept.add(source);
  }

  private isRunning(source: string): boolean {
    return this.steps.get(source)?.end === Infinity;
  }

  /** Before the first metric there is no need to know what ran when. */
  private index(): void {
    if (this.isIndexed) return;
    this.isIndexed = true;
    this.unindexed = this.options.steps[Symbol.iterator]();
  }

  private place(source: string, facts: MeasurableFacts): void {
    if (this.steps.get(source)?.facts === facts) return;
    this.unplace(source);
    const step = measurableStep(source, facts);
    if (step === undefined) return;
    this.steps.set(source, step);
    this.stale.set(source, -Infinity);
    for (const place of step.places) {
      const steps = this.byPlace.get(place);
      if (steps) steps.add(step);
      else this.byPlace.set(place, singleton(step));
    }
  }

  private unplace(source: string): void {
    const step = this.steps.get(source);
    if (step === undefined) return;
    this.steps.delete(source);
    this.stale.delete(source);
    if (this.unended.delete(source)) this.unkept.add(source);
    for (const place of step.places) {
      const steps = this.byPlace.get(place);
      steps?.delete(step);
      if (steps?.isEmpty === true) this.byPlace.delete(place);
    }
  }
}

function singleton(step: MeasurableStep): StepsByTime<MeasurableStep> {
  const steps = new StepsByTime<MeasurableStep>();
  steps.add(step);
  return steps;
}
