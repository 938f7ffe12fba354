import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import {
  branchOf,
  isEntry,
  membersFrom,
  totalsFrom,
  type Branch,
  type Entry,
  type TaskTree,
} from './entry.ts';
import { NO_BORDER } from './border.ts';
import { climber } from './climber.ts';
import { edgesBelow } from './edges-below.ts';
import { OPEN_AT_ONCE, type Fold, type FoldLimits, type Group } from './fold.ts';
import { GroupBelow } from './folded-group.ts';
import { isTooSmall, type GroupContext } from './group-context.ts';
import { mostImportant } from './importance.ts';
import { noticeNode, type Reason } from './summary-node.ts';
import type { Totals } from './totals.ts';

export interface FoldInput {
  readonly task: TaskTree;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly limits: FoldLimits;
  /** Do counters follow the task's nodes? */
  readonly isFollowed: boolean;
  /** Another one for every fold. */
  readonly serial: number;
  readonly asBefore: (summary: ExplanationNode) => ExplanationNode;
}

/**
 * How a task is shown with collapsing on: a function of the graph and the limits alone. Looks at what is shown and
 * at the edges across its borders, never at what is folded.
 */
export function foldTask(input: FoldInput): Fold {
  const { task, entries, limits } = input;
  if (task.unfolded.size <= limits.maxNodesPerTask) {
    const fold = foldBelow(input, task.unfolded, 'routine');
    if (fold.shown.size + fold.groups.size <= limits.maxNodesPerTask) return fold;
  }
  // Half of what may be shown are nodes, the rest is room for one summary below each of them, and the notice.
  const budget = Math.max(0, Math.floor((limits.maxNodesPerTask - 2) / 2));
  const fold = foldBelow(input, mostImportant(task, entries, budget, limits), 'limit');
  const start = task.kids.first?.node.timestamp ?? '';
  return { ...fold, notice: noticeNode(task.id, start, task.totals.members, limits.maxNodesPerTask) };
}

/** Folds what is not kept. All that leads to what is kept is kept. */
function foldBelow(
  { task, entries, limits, asBefore, isFollowed, serial }: FoldInput,
  kept: ReadonlySet<Entry>,
  reason: Reason['reason'],
): Fold {
  const topOf = climber(({ parent }) => parent !== undefined && kept.has(parent));
  const branchAbove = (entry: Entry): Branch => branchOf(topOf(entry));
  const folded = (id: string): Entry | undefined => {
    const entry = entries.get(id);
    return entry?.task === task && !kept.has(entry) ? entry : undefined;
  };
  const keptBelow = byBranch(kept);
  const sets = branchSets(kept, folded, branchAbove);
  const context: GroupContext = {
    taskId: task.id,
    entries,
    kept,
    keptBelow: (branch) => keptBelow.get(branch) ?? [],
    openAtOnce: limits.openAtOnce ?? OPEN_AT_ONCE,
    isFollowed,
    asBefore,
    inletsBelow: inletsByBranch(task, kept, folded, branchAbove),
  };
  const shown = new Set<string>();
  for (const { node } of kept) shown.add(node.id);
  const groups = new Map<string, Group>();
  const groupOf = new Map<Branch, Group>();
  for (const [branches, totals] of totalsBelow(task, kept, keptBelow, sets)) {
    const group = new GroupBelow(context, branches, reason, totals);
    if (isTooSmall(totals, reason)) {
      for (const id of group.members(0, Infinity)) shown.add(id);
      continue;
    }
    groups.set(group.id, group);
    for (const branch of branches) groupOf.set(branch, group);
  }
  const groupWith = (id: string): Group | undefined => {
    const entry = folded(id);
    return entry && groupOf.get(branchAbove(entry));
  };
  const state = task.abroad.size === 0 ? String(serial) : undefined;
  return { state, shown, groups, notice: undefined, groupWith };
}

/**
 * The branches with something folded below them whose groups are one, because an edge leads from one to the other:
 * so no edge runs between two summaries. Such an edge crosses the border of a kept step.
 */
function branchSets(
  kept: ReadonlySet<Entry>,
  folded: (id: string) => Entry | undefined,
  branchAbove: (entry: Entry) => Branch,
): Map<Branch, Set<Branch>> {
  const sets = new Map<Branch, Set<Branch>>();
  const setOf = (branch: Branch): Set<Branch> => sets.get(branch) ?? new Set([branch]);
  for (const entry of kept) {
    if (entry.border === NO_BORDER) continue;
    for (const edge of edgesBelow(entry, kept)) {
      const [from, to] = [folded(edge.from), folded(edge.to)];
      if (!from || !to) continue;
      const [a, b] = [setOf(branchAbove(from)), setOf(branchAbove(to))];
      if (a === b) continue;
      const [small, large] = a.size < b.size ? [a, b] : [b, a];
      for (const branch of small) large.add(branch);
      for (const branch of large) sets.set(branch, large);
    }
  }
  return sets;
}

function byBranch(kept: ReadonlySet<Entry>): Map<Branch, Entry[]> {
  const below = new Map<Branch, Entry[]>();
  for (const entry of kept) {
    const siblings = below.get(branchOf(entry));
    if (siblings) siblings.push(entry);
    else below.set(branchOf(entry), [entry]);
  }
  return below;
}

/** What is folded below each set of branches: all that is below, less the kept steps and what is below them. */
function totalsBelow(
  task: TaskTree,
  kept: ReadonlySet<Entry>,
  keptBelow: ReadonlyMap<Branch, readonly Entry[]>,
  sets: ReadonlyMap<Branch, ReadonlySet<Branch>>,
): Map<ReadonlySet<Branch>, Totals> {
  const result = new Map<ReadonlySet<Branch>, Totals>();
  const visit = (branch: Branch): void => {
    if (!branch.totals) return;
    const below = keptBelow.get(branch) ?? [];
    const own = isEntry(branch) ? 1 : 0;
    const members = branch.totals.members - own - below.reduce((sum, kid) => sum + membersFrom(kid), 0);
    if (members === 0) return;
    const totals = branch.totals.clone();
    if (isEntry(branch)) totals.addNode(branch.node, -1);
    for (const kid of below) totals.add(totalsFrom(kid), -1);
    const set = sets.get(branch) ?? new Set([branch]);
    const held = result.get(set);
    if (held) held.add(totals, 1);
    else result.set(set, totals);
  };
  visit(task);
  for (const entry of kept) visit(entry);
  return result;
}

/** Worked out when first asked for: edges beside the tree into what is folded, by the branch that it is below. */
function inletsByBranch(
  task: TaskTree,
  kept: ReadonlySet<Entry>,
  folded: (id: string) => Entry | undefined,
  branchAbove: (entry: Entry) => Branch,
): GroupContext['inletsBelow'] {
  let byBranch: Map<Branch, ExplanationEdge[]> | undefined;
  const sort = (): Map<Branch, ExplanationEdge[]> => {
    const sorted = new Map<Branch, ExplanationEdge[]>();
    const add = (edge: ExplanationEdge): void => {
      const to = folded(edge.to);
      if (!to) return;
      const branch = branchAbove(to);
      const edges = sorted.get(branch);
      if (edges) edges.push(edge);
      else sorted.set(branch, [edge]);
    };
    for (const { extra } of kept) for (const edge of extra ?? []) add(edge);
    for (const edge of task.abroad) add(edge);
    return sorted;
  };
  return (branches) => {
    const inlets: ExplanationEdge[] = [];
    for (const branch of branches) {
      // A folded step that was opened: its border is known.
      if (isEntry(branch) && !kept.has(branch)) for (const edge of edgesBelow(branch)) inlets.push(edge);
      else for (const edge of (byBranch ??= sort()).get(branch) ?? []) inlets.push(edge);
    }
    return inlets;
  };
}
