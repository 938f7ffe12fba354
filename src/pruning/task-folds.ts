import type { Clock } from '../base/clock.ts';
import { NEVER_OVER, type IsOver } from '../base/in-turns.ts';
import { ChangeLog } from '../graph/change-log.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import { deepestFirst } from './deepest-first.ts';
import type { Branch, TaskTree } from './entry.ts';
import { SMALL_TASK, type Fold, type FoldLimits } from './fold.ts';
import { foldTask } from './fold-task.ts';
import type { MatchCounter } from './match-counter.ts';
import { nextSerial, serialOf } from './siblings.ts';
import { SmallTasks } from './small-tasks.ts';
import { StepForest } from './step-forest.ts';
import { sumUp } from './sums.ts';
import { isSameSummary } from './summary-node.ts';

/** What folding did, for the `explain.prune` span. */
export interface FoldStats {
  readonly nodesFolded: number;
  readonly edgesFolded: number;
  /** Milliseconds. */
  readonly latencyMs: number;
}

/** Nodes of a task that are looked at together. */
export interface RunOfNodes {
  readonly name: string;
  readonly state: number;
  /** As they are until the graph changes; not made for who has a run with this name and state. */
  readonly ids: () => Iterable<string>;
}

interface HeldFold {
  readonly version: number;
  readonly fold: Fold;
  readonly summaries: Map<string, ExplanationNode>;
}

const NO_IDS: ReadonlySet<string> = new Set();

const NOTHING: Fold = {
  state: undefined,
  shown: new Set(),
  groups: new Map(),
  notice: undefined,
  groupWith: () => undefined,
};

/**
 * The folds of all tasks. A task of few nodes is folded from scratch when it changed and is looked at. A larger one
 * is followed change by change: a change costs as much as it is deep in its tree, and a fold as much as it shows,
 * whatever the size of the graph. What comes out is the same.
 */
export class TaskFolds {
  private readonly graph: GraphReader;
  private readonly limits: FoldLimits;
  private readonly clock: Clock;
  private readonly takeChanges: () => ChangeLog | undefined;
  private readonly onFold: () => void;
  private readonly small: SmallTasks;
  /** Up to so many nodes a task is small. */
  private readonly mostOfSmall: number;
  private readonly forest: StepForest;
  /** What happened to followed tasks and is not followed yet. */
  private readonly pending = new ChangeLog();
  /**
   * Edges of `pending` that were added, the next one last; undefined when that is not worked out. What is added
   * meanwhile comes after them, since to order them costs as much as there are.
   */
  private toLink: ExplanationEdge[] | undefined;
  private readonly held = new Map<string, HeldFold>();
  private readonly inSight = new Map<string, ReadonlySet<string>>();
  private stats = { nodesFolded: 0, edgesFolded: 0, latencyMs: 0 };

  /**
   * @param takeChanges what happened to the graph since the last call; undefined when nothing did. Asked before each look
   * at the graph: what is followed late must not be mixed with what came later.
   * @param onFold told after each task that was folded anew
   */
  constructor(
    graph: GraphReader,
    limits: FoldLimits,
    clock: Clock,
    takeChanges: () => ChangeLog | undefined,
    onFold: () => void = () => {},
  ) {
    this.graph = graph;
    this.limits = limits;
    this.clock = clock;
    this.takeChanges = takeChanges;
    this.onFold = onFold;
    this.small = new SmallTasks(graph, limits, this.inSight);
    this.mostOfSmall = limits.smallTask ?? SMALL_TASK;
    this.forest = new StepForest(limits, this.inSight);
  }

  /** Takes note of what happened to the graph; `settle` follows it. */
  catchUp(): void {
    const changes = this.takeChanges();
    if (!changes) return;
    if (this.forest.tasks.size + this.pending.size > 0) this.takeFollowed(changes);
    for (const taskId of changes.tasks) this.takeTask(taskId);
  }

  /** Follows the graph until the turn is over. @param isOver asked after each change @returns whether it caught up */
  settle(isOver: IsOver = NEVER_OVER): boolean {
    const start = this.clock.monotonic();
    this.catchUp();
    const done = this.follow(isOver) && this.forest.settle(isOver);
    this.stats.latencyMs += this.clock.monotonic() - start;
    return done;
  }

  /**
   * Keeps these nodes of a task in sight, with all that led to them, from now on and instead of those before.
   * @returns whether that changes anything
   */
  keepInSight(taskId: string, ids: ReadonlySet<string>): boolean {
    const before = this.inSight.get(taskId) ?? NO_IDS;
    const changed = [
      ...[...before].filter((id) => !ids.has(id)),
      ...[...ids].filter((id) => !before.has(id)),
    ];
    if (changed.length === 0) return false;
    if (ids.size > 0) this.inSight.set(taskId, ids);
    else this.inSight.delete(taskId);
    if (this.forest.tasks.has(taskId)) for (const id of changed) this.forest.lookAgain(id);
    else this.small.changed(taskId);
    return true;
  }

  /** How a task is folded now; nothing of an unknown one. */
  foldOf(taskId: string): Fold {
    const task = this.followed(taskId);
    if (task) {
      const held = this.held.get(taskId);
      return held?.version === task.version ? held.fold : this.foldAnew(task, held);
    }
    if (this.graph.nodesOfTask(taskId).size === 0) return NOTHING;
    return this.small.foldOf(taskId, (nodes, edges) => this.folded(nodes, edges));
  }

  /** A node, and the first one below it: each summary that is named after the node has one of both inside. */
  firstFrom(id: string): string[] {
    const node = this.graph.node(id);
    if (!node) return [];
    const below = this.followed(node.taskId)
      ? this.forest.entries.get(id)?.kids?.first?.node.id
      : this.small.firstBelow(node);
    return [id, ...(below === undefined ? [] : [below])];
  }

  /**
   * All nodes of a task, in runs. A run with the name and the state of an earlier one has the same nodes with the
   * same edges into them.
   */
  *runsOf(taskId: string): Generator<RunOfNodes> {
    const task = this.followed(taskId);
    if (!task) {
      const ids = this.graph.nodesOfTask(taskId);
      for (const name of ids) {
        yield { name, state: this.small.stateOf(taskId), ids: () => ids };
        return;
      }
    }
    const open: Branch[] = task ? [task] : [];
    for (let branch = open.pop(); branch; branch = open.pop()) {
      for (const chunk of branch.kids?.chunks ?? []) {
        const [first] = chunk.items;
        const ids = (): string[] => chunk.items.map(({ node }) => node.id);
        yield { name: first?.node.id ?? '', state: serialOf(chunk), ids };
        // Whoever goes on in a later turn: sums of a run are noted only while those below it are right.
        this.followed(taskId);
        for (const kid of chunk.items) if (kid.kids) open.push(kid);
      }
    }
  }

  /** A test of nodes that is asked of groups from now on, until `unwatch`. Equal keys stand for equal tests. */
  watch(key: string, test: (node: ExplanationNode) => boolean): MatchCounter {
    this.settle();
    return this.forest.watch(key, test);
  }

  unwatch(key: string): void {
    this.forest.unwatch(key);
  }

  /** How many nodes and edges were folded since the last call. */
  takeStats(): FoldStats {
    const { stats } = this;
    this.stats = { nodesFolded: 0, edgesFolded: 0, latencyMs: 0 };
    return stats;
  }

  /** The tree of a task that is followed, up to date. */
  private followed(taskId: string): TaskTree | undefined {
    this.catchUp();
    const task = this.forest.tasks.get(taskId);
    if (!task) return undefined;
    this.settle();
    sumUp(task);
    return task;
  }

  /** Notes those changes that concern followed tasks. */
  private takeFollowed(changes: ChangeLog): void {
    const { entries, tasks } = this.forest;
    const { pending, graph } = this;
    const concerns = (id: string): boolean => entries.has(id) || tasks.has(graph.node(id)?.taskId ?? '');
    for (const id of changes.nodes) if (concerns(id)) pending.nodeChanged(id);
    for (const edge of changes.removed.values()) {
      const isToCome = pending.added.has(edge.id);
      if (isToCome || concerns(edge.from) || concerns(edge.to)) pending.edgeRemoved(edge);
    }
    for (const edge of changes.added.values()) {
      if (concerns(edge.from) || concerns(edge.to)) pending.edgeAdded(edge);
    }
  }

  /** Begins to follow a task that has grown large, and stops with one that has become small. */
  private takeTask(taskId: string): void {
    const ids = this.graph.nodesOfTask(taskId);
    const task = this.forest.tasks.get(taskId);
    if (!task) this.small.changed(taskId);
    // Half of it, so that a task about so large is not grown again and again.
    if (task && (ids.size === 0 || ids.size <= this.mostOfSmall / 2)) {
      this.forest.dropTask(task);
      this.held.delete(taskId);
    } else if (!task && ids.size > this.mostOfSmall) {
      this.forest.addTask(taskId);
      for (const id of ids) this.pending.nodeChanged(id);
    }
  }

  private foldAnew(task: TaskTree, before: HeldFold | undefined): Fold {
    const start = this.clock.monotonic();
    const { entries } = this.forest;
    const summaries = new Map<string, ExplanationNode>();
    const asBefore = (summary: ExplanationNode): ExplanationNode => {
      const held = before?.summaries.get(summary.id);
      const same = held && isSameSummary(held, summary) ? held : summary;
      summaries.set(summary.id, same);
      return same;
    };
    const serial = nextSerial();
    const fold = foldTask({ task, entries, limits: this.limits, isFollowed: true, serial, asBefore });
    this.held.set(task.id, { version: task.version, fold, summaries });
    let { edges } = task;
    for (const id of fold.shown) edges -= entries.get(id)?.ins.length ?? 0;
    this.folded(task.totals.members - fold.shown.size, edges);
    this.stats.latencyMs += this.clock.monotonic() - start;
    return fold;
  }

  private folded(nodes: number, edges: number): void {
    this.stats.nodesFolded += nodes;
    this.stats.edgesFolded += edges;
    if (nodes > 0) this.onFold();
  }

  private follow(isLate: () => boolean): boolean {
    const { removed, nodes, added } = this.pending;
    for (const [id, edge] of removed) {
      removed.delete(id);
      this.forest.unlink(edge);
      if (isLate()) return false;
    }
    for (const id of nodes) {
      nodes.delete(id);
      this.followNode(id);
      if (isLate()) return false;
    }
    while (added.size > 0) {
      this.toLink ??= deepestFirst(added.values());
      for (let edge = this.toLink.pop(); edge; edge = this.toLink.pop()) {
        // It may be gone again, or another one by now.
        if (added.get(edge.id) !== edge) continue;
        added.delete(edge.id);
        this.forest.link(edge);
        if (isLate()) return false;
      }
      this.toLink = undefined;
    }
    this.toLink = undefined;
    return true;
  }

  private followNode(id: string): void {
    const { forest, pending } = this;
    const node = this.graph.node(id);
    const entry = forest.entries.get(id);
    if (entry && node?.taskId === entry.task.id) {
      if (node !== entry.node) forest.replace(entry, node);
      return;
    }
    // With all its edges: which of them are the tree's is another matter in another task.
    const edges = entry ? forest.uproot(entry) : [];
    if (!node) return;
    for (const edge of edges) pending.edgeAdded(edge);
    if (forest.tasks.has(node.taskId)) this.plant(node);
  }

  /** Edges to and from followed tasks may be known by their other end. */
  private plant(node: ExplanationNode): void {
    const { forest, graph, pending } = this;
    for (const edges of [graph.inEdges(node.id), graph.outEdges(node.id)]) {
      for (const edge of edges) {
        forest.unlink(edge);
        pending.edgeAdded(edge);
      }
    }
    forest.plant(node);
  }
}
