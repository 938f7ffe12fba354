import type { IsOver, Work } from '../base/in-turns.ts';
import type {
  AdaptationEffect,
  AdaptationTimeline,
  Difference,
  Distribution,
  EffectBasis,
  EffectComparison,
  EffectFigures,
  TimedVersion,
} from '../model/adaptation-effect.ts';
import { isInScope, parseAdaptationRef, type Known } from '../model/adaptations.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { TaskOverview } from '../model/task-overview.ts';
import { parseTime } from '../model/time.ts';
import { intervalOfDifference, median, resampled, type Resampled } from './bootstrap.ts';
import { fisherExact } from './fisher.ts';
import { newcombe, wilson } from './intervals.ts';

/** Fewer tasks in a group give no interval: resampling them says nothing of others. */
export const MIN_FOR_INTERVAL = 5;
/** A group of fewer is said to be too small. */
export const MIN_TASKS = 20;
/** So many of the newest versions are compared, each on two bases with two groups at most. */
const MAX_VERSIONS = 20;
/** Steps between two looks at the clock. */
const STEPS_A_LOOK = 100;

const MEASURES = ['costUsd', 'latencyMs', 'steps', 'tokens'] as const;
type Measure = (typeof MEASURES)[number];

const NOTICE =
  'Tasks that are over, by what they have and what they lack; nobody drew lots, so whatever else changed with an ' +
  'adaptation (models, questions, load) is in these figures as well. A task counts as failed when a step of it is an ' +
  'ERROR. Basis "named": steps of the tasks name their adaptations. Basis "time": they name none; a task has the ' +
  'version that was in force when it began, by the clock of its sender, within the scope. Intervals are of 95 % and ' +
  'not corrected for the number of comparisons.';
const TOO_FEW = ` Where "tooFew" stands a group has fewer than ${MIN_TASKS} tasks: too few to say anything by.`;
const NONE = ' No task that was looked at ran with a version of it.';
const CHANNEL =
  ' Its scope names a channel, which few senders tell: tasks that do not are passed over on basis "time".';

/** With which version a task ran; 0: without any. */
interface Placed {
  readonly version: number;
  readonly basis: EffectBasis;
}

interface Group {
  readonly version: number;
  readonly basis: EffectBasis;
  tasks: number;
  failed: number;
  readonly values: { readonly [M in Measure]: number[] };
}

type Middles = Pick<Distribution, 'mean' | 'median'>;

/** A group whose figures are made. */
interface Summed {
  readonly group: Group;
  readonly figures: EffectFigures;
  /** Before they are rounded. */
  readonly exact: { readonly [M in Measure]?: Middles };
  readonly resampled: { readonly [M in Measure]?: Resampled };
}

/** Sorts tasks by the version of one adaptation that they ran with, in any order of these, and compares them. */
export class EffectCounts {
  private readonly timeline: AdaptationTimeline;
  private readonly groups = new Map<string, Group>();
  private compared = 0;
  private passedOver = 0;
  private mixed = 0;

  constructor(timeline: AdaptationTimeline) {
    this.timeline = timeline;
  }

  /** @param nodes all nodes of a task that is over */
  *addTask(task: TaskOverview, nodes: readonly ExplanationNode[], isOver: IsOver): Work<void> {
    const named = new Set<string>();
    const models = new Set<string>();
    const channels = new Set<string>();
    for (const [i, { model, details = {} }] of nodes.entries()) {
      if (i % STEPS_A_LOOK === 0 && isOver()) yield;
      if (model !== undefined) models.add(model);
      const { adaptations, channel } = details;
      if (typeof channel === 'string') channels.add(channel);
      if (Array.isArray(adaptations)) for (const ref of adaptations) named.add(String(ref));
    }
    const known: Known = {
      agent: task.agents,
      model: [...models],
      channel: [...channels],
      task: task.taskId,
      session: task.sessionId,
    };
    const placed = placeOf(this.timeline, task, named, known);
    if (placed === 'mixed') this.mixed++;
    else if (placed === undefined) this.passedOver++;
    else this.count(placed, task);
  }

  /** @param isPart there are tasks that were not added */
  *answer(isPart: boolean, isOver: IsOver): Work<AdaptationEffect> {
    const versions = [...new Set([...this.groups.values()].map(({ version }) => version))]
      .filter((version) => version > 0)
      .sort((a, b) => b - a);
    const shown = versions.slice(0, MAX_VERSIONS);
    const summed = new Map<string, Summed>();
    for (const [key, group] of this.groups) {
      // What is compared with the last of those that are shown may be one that is not.
      if (group.version === 0 || group.version >= (versions[MAX_VERSIONS] ?? 0))
        summed.set(key, yield* summedUp(group, isOver));
    }
    const comparisons: EffectComparison[] = [];
    for (const version of shown)
      for (const basis of ['named', 'time'] as const) {
        const those = summed.get(keyOf({ version, basis }));
        if (!those) continue;
        const without = summed.get(keyOf({ version: 0, basis }));
        if (without) comparisons.push(comparison(those, without));
        const before = versions.find(
          (other) => other < version && summed.has(keyOf({ version: other, basis })),
        );
        const earlier = before === undefined ? undefined : summed.get(keyOf({ version: before, basis }));
        if (earlier) comparisons.push(comparison(those, earlier));
        if (isOver()) yield;
      }
    const hasChannel = this.timeline.versions.some(({ scope }) => scope.channel !== undefined);
    return {
      id: this.timeline.id,
      comparisons,
      tasks: { compared: this.compared, passedOver: this.passedOver, mixed: this.mixed },
      notice: `${NOTICE}${comparisons.some(({ tooFew }) => tooFew) ? TOO_FEW : ''}${versions.length === 0 ? NONE : ''}${hasChannel ? CHANNEL : ''}`,
      ...((isPart || shown.length < versions.length) && { truncated: true }),
    };
  }

  private count(placed: Placed, task: TaskOverview): void {
    const { status, costUsd, durationMs, nodes, types, tokensIn, tokensOut } = task;
    const key = keyOf(placed);
    const group = this.groups.get(key) ?? {
      ...placed,
      tasks: 0,
      failed: 0,
      values: { costUsd: [], latencyMs: [], steps: [], tokens: [] },
    };
    this.groups.set(key, group);
    this.compared++;
    group.tasks++;
    if (status === 'ERROR') group.failed++;
    const { values } = group;
    if (costUsd !== undefined) values.costUsd.push(costUsd);
    values.latencyMs.push(durationMs);
    // A thought is part of the call that had it.
    values.steps.push(nodes - (types['REASONING'] ?? 0));
    if (tokensIn !== undefined || tokensOut !== undefined)
      values.tokens.push((tokensIn ?? 0) + (tokensOut ?? 0));
  }
}

/** @returns undefined for a task that is compared with nothing */
function placeOf(
  timeline: AdaptationTimeline,
  { firstTimestamp, lastChanged }: TaskOverview,
  named: ReadonlySet<string>,
  known: Known,
): Placed | 'mixed' | undefined {
  const begin = parseTime(firstTimestamp) ?? 0;
  const inForce = versionAt(timeline, begin);
  if (named.size > 0) {
    const refs = [...named].map(parseAdaptationRef).filter((ref) => ref?.id === timeline.id);
    if (refs.length === 0) {
      const { scope } = inForce ?? timeline.versions[0] ?? {};
      return scope && isInScope(scope, known) ? { version: 0, basis: 'named' } : undefined;
    }
    const versions = new Set(refs.map((ref) => ref?.version).filter((version) => version !== undefined));
    // Who names no version means that of the moment.
    if (versions.size === 0 && inForce) versions.add(inForce.version);
    const [version] = versions;
    if (versions.size > 1) return 'mixed';
    return version === undefined ? undefined : { version, basis: 'named' };
  }
  const first = timeline.versions[0];
  if (!inForce) {
    // Before a first version that is known the adaptation was not there; before one that is not, who knows?
    if (first?.version !== 1 || !isInScope(first.scope, known)) return undefined;
    return wasChanged(timeline, begin, lastChanged, known, 0) ? 'mixed' : { version: 0, basis: 'time' };
  }
  if (!isInScope(inForce.scope, known)) return undefined;
  const version = inForce.enabled ? inForce.version : 0;
  return wasChanged(timeline, begin, lastChanged, known, version) ? 'mixed' : { version, basis: 'time' };
}

function versionAt({ versions }: AdaptationTimeline, time: number): TimedVersion | undefined {
  return versions.findLast(({ from }) => from <= time);
}

/** Did another version come into force while the task ran? */
function wasChanged(
  { versions }: AdaptationTimeline,
  begin: number,
  lastChanged: string,
  known: Known,
  version: number,
): boolean {
  const end = parseTime(lastChanged) ?? begin;
  return versions.some(
    ({ from, enabled, scope, version: other }) =>
      from > begin && from <= end && (enabled && isInScope(scope, known) ? other : 0) !== version,
  );
}

function keyOf({ version, basis }: Placed): string {
  return `${basis} ${version}`;
}

function* summedUp(group: Group, isOver: IsOver): Work<Summed> {
  const { tasks, failed, values } = group;
  const distributions: { [M in Measure]?: Distribution } = {};
  const exact: { [M in Measure]?: Middles } = {};
  const drawn: { [M in Measure]?: Resampled } = {};
  for (const [i, measure] of MEASURES.entries()) {
    const sorted = Float64Array.from(values[measure]).sort();
    if (sorted.length === 0) continue;
    const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
    const middles = { mean, median: median(sorted) };
    exact[measure] = middles;
    distributions[measure] = {
      tasks: sorted.length,
      mean: rounded(mean),
      median: rounded(middles.median),
    };
    if (sorted.length >= MIN_FOR_INTERVAL)
      drawn[measure] = yield* resampled(
        sorted,
        2 * (MEASURES.length * group.version + i) + (group.basis === 'time' ? 1 : 0),
        isOver,
      );
  }
  const [low, high] = wilson(failed, tasks);
  return {
    group,
    exact,
    resampled: drawn,
    figures: {
      tasks,
      failed,
      failureRate: rounded(failed / tasks),
      failureInterval: [rounded(low), rounded(high)],
      ...distributions,
    },
  };
}

function comparison(those: Summed, others: Summed): EffectComparison {
  const [a, b] = [those.group, others.group];
  const [low, high] = newcombe(a.failed, a.tasks, b.failed, b.tasks);
  const differences: { [M in Measure]?: Difference } = {};
  for (const measure of MEASURES) {
    const difference = differenceOf(measure, those, others);
    if (difference) differences[measure] = difference;
  }
  return {
    version: a.version,
    against: b.version === 0 ? 'without' : b.version,
    basis: a.basis,
    with: those.figures,
    than: others.figures,
    failures: {
      difference: rounded(a.failed / a.tasks - b.failed / b.tasks),
      interval: [rounded(low), rounded(high)],
      p: rounded(fisherExact(a.failed, a.tasks - a.failed, b.failed, b.tasks - b.failed)),
    },
    ...differences,
    ...(Math.min(a.tasks, b.tasks) < MIN_TASKS && { tooFew: true }),
  };
}

function differenceOf(measure: Measure, those: Summed, others: Summed): Difference | undefined {
  const [a, b] = [those.exact[measure], others.exact[measure]];
  if (!a || !b) return undefined;
  const [some, other] = [those.resampled[measure], others.resampled[measure]];
  return {
    mean: rounded(a.mean - b.mean),
    median: rounded(a.median - b.median),
    ...(some &&
      other && {
        meanInterval: roundedPair(intervalOfDifference(some.means, other.means)),
        medianInterval: roundedPair(intervalOfDifference(some.medians, other.medians)),
      }),
  };
}

function roundedPair([low, high]: readonly [number, number]): readonly [number, number] {
  return [rounded(low), rounded(high)];
}

/** Nobody reads more digits, and sums of fractions have noise in them. */
function rounded(value: number): number {
  return Number(value.toPrecision(9));
}
