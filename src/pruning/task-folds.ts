import { assert } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import { ChangeLog } from '../graph/change-log.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import { deepestFirst } from './deepest-first.ts';
import { newEntry, newTask, type Branch, type Entry, type TaskTree } from './entry.ts';
import type { Fold, FoldLimits } from './fold.ts';
import { foldTask } from './fold-task.ts';
import { Foldable } from './foldable.ts';
import { MatchCounter } from './match-counter.ts';
import { StepTree, type TreeListener } from './step-tree.ts';
import { serialOf } from './siblings.ts';
import { isSameSummary } from './summary-node.ts';
import type { Totals } from './totals.ts';

/** What folding did, for the `explain.prune` span. */
export interface FoldStats {
  readonly nodesFolded: number;
  readonly edgesFolded: number;
  /** Milliseconds. */
  readonly latencyMs: number;
}

/** A look at the clock costs about as much as ten changes. */
const CHANGES_A_LOOK = 100;

/** What a task comes to. */
export interface TaskFigures {
  readonly totals: Totals;
  /** ISO 8601, of the earliest and the latest start. */
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
}

interface HeldFold {
  readonly version: number;
  readonly fold: Fold;
  readonly summaries: Map<string, ExplanationNode>;
}

const NOTHING: Fold = {
  state: undefined,
  shown: new Set(),
  groups: new Map(),
  notice: undefined,
  groupWith: () => undefined,
};

/**
 * The folds of all tasks. Follows the graph change by change: a change costs as much as it is deep in its tree, and
 * a fold as much as it shows, whatever the size of the graph.
 */
export class TaskFolds implements TreeListener {
  private readonly graph: GraphReader;
  private readonly limits: FoldLimits;
  private readonly clock: Clock;
  private readonly onFold: () => void;
  private readonly entries = new Map<string, Entry>();
  private readonly tasks = new Map<string, TaskTree>();
  private readonly tree: StepTree;
  private readonly foldable: Foldable;
  private readonly pending = new ChangeLog();
  /** The edges of `pending` that were added, the next one last; undefined when that is not worked out. */
  private toLink: ExplanationEdge[] | undefined;
  private readonly held = new Map<string, HeldFold>();
  private readonly counters = new Map<string, { readonly counter: MatchCounter; users: number }>();
  private serial = 0;
  private stats = { nodesFolded: 0, edgesFolded: 0, latencyMs: 0 };

  /** @param onFold told after each task that was folded anew */
  constructor(graph: GraphReader, limits: FoldLimits, clock: Clock, onFold: () => void) {
    this.graph = graph;
    this.limits = limits;
    this.clock = clock;
    this.onFold = onFold;
    this.tree = new StepTree(this.entries, this);
    this.foldable = new Foldable(limits, this.entries);
  }

  /** The graph changed. */
  take(changes: ChangeLog): void {
    this.pending.append(changes);
    this.toLink = undefined;
  }

  /** Follows the graph, for about so many milliseconds. @returns whether it caught up */
  settle(maxMs = Infinity): boolean {
    const start = this.clock.monotonic();
    let left = CHANGES_A_LOOK;
    const isLate = (): boolean => {
      if (--left > 0) return false;
      left = CHANGES_A_LOOK;
      return this.clock.monotonic() - start > maxMs;
    };
    const done = this.follow(isLate) && this.foldable.settle(isLate);
    this.stats.latencyMs += this.clock.monotonic() - start;
    return done;
  }

  /** How a task is folded now; nothing of an unknown one. */
  foldOf(taskId: string): Fold {
    this.settle();
    const task = this.tasks.get(taskId);
    if (!task) return NOTHING;
    const held = this.held.get(taskId);
    return held?.version === task.version ? held.fold : this.foldAnew(task, held);
  }

  /** A node, and the first one below it: who is in a summary that hangs on the node is in the one or the other. */
  firstFrom(id: string): string[] {
    this.settle();
    const entry = this.entries.get(id);
    const below = entry?.kids?.first?.node.id;
    return entry ? [id, ...(below === undefined ? [] : [below])] : [];
  }

  /**
   * All nodes of a task, in runs of siblings. A run with the name and the state of an earlier one has the same
   * nodes with the same edges into them.
   */
  *runsOf(
    taskId: string,
  ): Generator<{ readonly name: string; readonly state: number; readonly ids: string[] }> {
    this.settle();
    const task = this.tasks.get(taskId);
    const open: Branch[] = task ? [task] : [];
    for (let branch = open.pop(); branch; branch = open.pop()) {
      for (const chunk of branch.kids?.chunks ?? []) {
        const ids = chunk.items.map(({ node }) => node.id);
        yield { name: ids[0] ?? '', state: serialOf(chunk), ids };
        for (const kid of chunk.items) if (kid.kids) open.push(kid);
      }
    }
  }

  /** The figures of a task; undefined of an unknown one. */
  figuresOf(taskId: string): TaskFigures | undefined {
    this.settle();
    const task = this.tasks.get(taskId);
    return task && { totals: task.totals, ...task.starts.span(this.graph.nodesOfTask(taskId), this.graph) };
  }

  /** Counts the nodes that pass a test from now on, until `unwatch`. Equal keys stand for equal tests. */
  watch(key: string, test: (node: ExplanationNode) => boolean): MatchCounter {
    this.settle();
    let held = this.counters.get(key);
    if (!held) {
      held = { counter: new MatchCounter(test, this.entries.values()), users: 0 };
      this.counters.set(key, held);
    }
    held.users++;
    return held.counter;
  }

  unwatch(key: string): void {
    const held = this.counters.get(key);
    if (held && --held.users <= 0) this.counters.delete(key);
  }

  /** How many nodes and edges were folded since the last call. */
  takeStats(): FoldStats {
    const { stats } = this;
    this.stats = { nodesFolded: 0, edgesFolded: 0, latencyMs: 0 };
    return stats;
  }

  leaving(entry: Entry): void {
    this.foldable.withdraw(entry);
  }

  changed(entry: Entry): void {
    this.foldable.markStale(entry);
  }

  content(entry: Entry, isThere: boolean): void {
    for (const { counter } of this.counters.values()) counter.content(entry, isThere);
  }

  moved(entry: Entry, before: Branch, after: Branch): void {
    for (const { counter } of this.counters.values()) counter.moved(entry, before, after);
    // What it inherits from above is another matter now.
    this.foldable.markStale(entry);
  }

  private foldAnew(task: TaskTree, before: HeldFold | undefined): Fold {
    const start = this.clock.monotonic();
    const summaries = new Map<string, ExplanationNode>();
    const asBefore = (summary: ExplanationNode): ExplanationNode => {
      const held = before?.summaries.get(summary.id);
      const same = held && isSameSummary(held, summary) ? held : summary;
      summaries.set(summary.id, same);
      return same;
    };
    const serial = ++this.serial;
    const fold = foldTask({ task, entries: this.entries, limits: this.limits, serial, asBefore });
    this.held.set(task.id, { version: task.version, fold, summaries });
    let edges = task.edges;
    for (const id of fold.shown) edges -= this.entries.get(id)?.ins.length ?? 0;
    const nodes = task.totals.members - fold.shown.size;
    this.stats.nodesFolded += nodes;
    this.stats.edgesFolded += edges;
    this.stats.latencyMs += this.clock.monotonic() - start;
    if (nodes > 0) this.onFold();
    return fold;
  }

  private follow(isLate: () => boolean): boolean {
    const { removed, nodes, added } = this.pending;
    for (const [id, edge] of removed) {
      removed.delete(id);
      this.unlink(edge);
      if (isLate()) return false;
    }
    for (const id of nodes) {
      nodes.delete(id);
      this.followNode(id);
      if (isLate()) return false;
    }
    this.toLink ??= deepestFirst(added.values());
    for (let edge = this.toLink.pop(); edge; edge = this.toLink.pop()) {
      added.delete(edge.id);
      this.link(edge);
      if (isLate()) return false;
    }
    this.toLink = undefined;
    return true;
  }

  private followNode(id: string): void {
    const node = this.graph.node(id);
    const entry = this.entries.get(id);
    if (node && entry) {
      if (node.taskId !== entry.node.taskId) this.moveToTask(entry, node);
      else if (node !== entry.node) this.tree.replace(entry, node);
    } else if (node) this.plant(node);
    else if (entry) this.uproot(entry);
  }

  private plant(node: ExplanationNode): void {
    let task = this.tasks.get(node.taskId);
    if (!task) {
      task = newTask(node.taskId);
      this.tasks.set(task.id, task);
    }
    const entry = newEntry(node, task);
    this.entries.set(node.id, entry);
    this.tree.plant(entry);
  }

  private uproot(entry: Entry): void {
    this.tree.uproot(entry);
    this.entries.delete(entry.node.id);
    if (entry.task.totals.members > 0) return;
    this.tasks.delete(entry.task.id);
    this.held.delete(entry.task.id);
  }

  /** With all its edges: which of them are the tree's is another matter in another task. */
  private moveToTask(entry: Entry, node: ExplanationNode): void {
    const edges = [...entry.ins, ...(entry.extra ?? [])];
    for (const { treeEdge } of entry.kids ?? []) if (treeEdge) edges.push(treeEdge);
    for (const edge of edges) this.unlink(edge);
    this.uproot(entry);
    this.plant(node);
    for (const edge of edges) this.link(edge);
  }

  private link(edge: ExplanationEdge): void {
    const { from, to } = this.endsOf(edge);
    if (from.task !== to.task || !to.foldable) this.foldable.block(from, 1);
    this.tree.link(edge, from, to);
  }

  private unlink(edge: ExplanationEdge): void {
    const { from, to } = this.endsOf(edge);
    if (from.task !== to.task || !to.foldable) this.foldable.block(from, -1);
    this.tree.unlink(edge.id, from, to);
  }

  private endsOf(edge: ExplanationEdge): { readonly from: Entry; readonly to: Entry } {
    const [from, to] = [this.entries.get(edge.from), this.entries.get(edge.to)];
    assert(from && to, 'both ends of an edge are known before it');
    return { from, to };
  }
}
