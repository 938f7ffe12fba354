import type { FoldLimits } from './fold.ts';
import { compareText } from '../model/compare-text.ts';
import { compareIso } from '../model/time.ts';
import { beginsRun, endedLater, type Branch, type Entry, type TaskTree } from './entry.ts';
import { isNotable } from './quiet.ts';
import { SortedChunks } from './sorted-chunks.ts';

/** Of what is not in the order. */
export const NOT_RANKED = -1;
/** A rank is a class, times this, and within it how far the step stands above the thresholds of the settings. */
const CLASS = 1e12;
const ERRORS = 5 * CLASS;
/** What does not fit is passed over; so many candidates for each place are looked at. */
const LOOKS_A_PLACE = 4;

/**
 * Importance, highest first: what is said to be kept in sight; errors; model switches, reflexion actions, user queries and annotated steps; warnings;
 * running steps; the beginnings of runs; then by how many times the cost or latency that is worth showing a step
 * has; then what is newer, then by id.
 */
export function rankOf({ node, ins, inSight }: Entry, limits: FoldLimits): number {
  const share = (value: number | undefined, threshold: number): number =>
    (value ?? 0) / Math.max(threshold, Number.EPSILON);
  const spike = Math.max(
    share(node.latencyMs, limits.pruneLatencyThresholdMs),
    share(node.costUsd, limits.minCostUsdDetail),
  );
  const within = Math.min(spike, CLASS - 1);
  if (inSight) return 6 * CLASS + within;
  if (node.status === 'ERROR') return ERRORS + within;
  if (isNotable(node)) return 4 * CLASS + within;
  if (node.status === 'WARNING') return 3 * CLASS + within;
  if (node.state === 'RUNNING') return 2 * CLASS + within;
  return (ins.length === 0 ? CLASS : 0) + within;
}

function ranking(): SortedChunks<Entry> {
  return new SortedChunks<Entry>({
    compare: (a, b) =>
      b.rank - a.rank || compareIso(b.node.timestamp, a.node.timestamp) || compareText(a.node.id, b.node.id),
    begins: beginsRun,
  });
}

/** What is not folded in the order of importance; from the first call on the order is kept up. */
export function rankedOf(task: TaskTree, limits: FoldLimits): SortedChunks<Entry> {
  if (task.ranked) return task.ranked;
  const ranked = ranking();
  for (const entry of task.unfolded) {
    entry.rank = rankOf(entry, limits);
    ranked.add(entry);
  }
  task.ranked = ranked;
  return ranked;
}

/**
 * The steps to keep in sight when a task has too many, each with everything that led to it within the task: the
 * most important one, the critical path (up to a quarter of the places), errors (up to half), what comes next by
 * importance, and errors again. Never more than `budget`. Looks at so many only, whatever the size of the task.
 */
export function mostImportant(
  task: TaskTree,
  entries: ReadonlyMap<string, Entry>,
  budget: number,
  limits: FoldLimits,
): Set<Entry> {
  const ranked = rankedOf(task, limits);
  const kept = new Set<Entry>();
  const keep = (candidates: Iterable<Entry>, upTo: number): void => {
    let looks = LOOKS_A_PLACE * budget;
    for (const entry of candidates) {
      if (kept.size >= upTo || looks-- <= 0) return;
      for (const step of wayTo(entry, entries, kept, upTo - kept.size)) kept.add(step);
    }
  };
  const { first } = ranked;
  if (first) keep([first], budget);
  keep(criticalPath(task), Math.floor(budget / 4));
  keep(errorsOf(ranked), Math.floor(budget / 2));
  keep(
    ranked.from((entry) => entry.rank >= ERRORS),
    budget,
  );
  keep(ranked, budget);
  return kept;
}

function* errorsOf(ranked: Iterable<Entry>): Generator<Entry> {
  for (const entry of ranked) {
    if (entry.rank < ERRORS) return;
    yield entry;
  }
}

/** From the beginning of a run down: the step that ended last, then the one below it that ended last. */
function* criticalPath(task: TaskTree): Generator<Entry> {
  for (let at = lastToEnd(task); at && !at.foldable; at = lastToEnd(at)) yield at;
}

function lastToEnd(branch: Branch): Entry | undefined {
  if (branch.lastKid) return branch.lastKid;
  for (const kid of branch.kids ?? []) {
    if (!branch.lastKid || endedLater(kid, branch.lastKid)) branch.lastKid = kid;
  }
  return branch.lastKid;
}

/** A step and all of its task that led to it and is not kept yet; nothing when that is more than fits. */
function wayTo(
  entry: Entry,
  entries: ReadonlyMap<string, Entry>,
  kept: ReadonlySet<Entry>,
  room: number,
): ReadonlySet<Entry> {
  const way = new Set<Entry>(kept.has(entry) ? [] : [entry]);
  for (const at of way) {
    if (way.size > room) return new Set();
    for (const edge of at.ins) {
      const from = entries.get(edge.from);
      if (from?.task === entry.task && !kept.has(from)) way.add(from);
    }
  }
  return way.size > room ? new Set() : way;
}
