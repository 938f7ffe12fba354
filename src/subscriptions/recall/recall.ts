import type { Clock, Timer } from '../../base/clock.ts';
import { inTurns } from '../../base/in-turns.ts';
import type { Pace } from '../../base/pace.ts';
import { SharedLock } from '../../base/shared-lock.ts';
import type { ChangeLog } from '../../graph/change-log.ts';
import type { GraphReader } from '../../graph/graph-reader.ts';
import { withFollowers } from '../../graph/followers.ts';
import type { FoldLimits } from '../../pruning/fold.ts';
import { TaskFolds } from '../../pruning/task-folds.ts';
import type { ExplanationEdge } from '../../model/node.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { ViewSource } from '../view-source.ts';
import type { ViewSpec } from '../view-spec.ts';
import type { Archive, ArchivedStep } from './archive.ts';
import { KeptSteps } from './kept-steps.ts';
import { RecalledSource } from './recalled-source.ts';
import { WholeGraph } from './whole-graph.ts';
import { EVERYTHING, recallsAny, tasksNamed } from './wanted.ts';

export interface RecallOptions {
  /** What is in memory. */
  readonly live: ViewSource & { readonly graph: GraphReader };
  readonly archive: Archive;
  readonly limits: FoldLimits;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly logger: Logger;
  /** Told when there is something to publish. */
  readonly onChange: () => void;
  /** `MAX_KEPT` if absent. */
  readonly maxKept?: number;
}

/** Archived nodes that are held for readers at one time: with what is made of them about half a gigabyte. */
export const MAX_KEPT = 200_000;
/** What is recalled stays for so long after the last look, so that a reader who comes again need not wait. */
const LINGER_MS = 10_000;

const NO_TASKS: ReadonlySet<string> = new Set();

interface Whole {
  readonly graph: WholeGraph;
  readonly folds: TaskFolds;
  /** Tasks that have kept nodes, or edges that lead into them from kept nodes of others; now or once. */
  readonly touched: Set<string>;
  /** Tasks of nodes that are kept since the last look: the whole graph need not have changed with that. */
  readonly nowKept: Set<string>;
  /** Nodes that edges of these lead into. */
  readonly nowLinked: Set<string>;
  /** Nodes of which something else is kept since they were copied. */
  readonly stale: Set<string>;
  /** Tasks that may look different now, and of which nobody was told. */
  changed: Set<string>;
  /** Everything is copied. */
  isReady: boolean;
}

/**
 * Brings archived nodes back before the eyes of those readers who asked for them, as if they had never left memory.
 * Nothing is held while nobody asks. While somebody does, the graph in memory is held a second time, together with
 * the archived nodes of the tasks asked for.
 */
export class Recall {
  private readonly options: RecallOptions;
  private kept = new KeptSteps();
  /** Undefined while nothing is kept. */
  private whole: Whole | undefined;
  /** How many views ask for a task; and for every task there is. */
  private readonly wanted = new Map<string, number>();
  private wantedAll = 0;
  /** Tasks that are asked for and were read, or are being read: then there is a promise. */
  private readonly reads = new Map<string, Promise<void> | undefined>();
  private readingAll: Promise<void> | undefined;
  private copying: Promise<void> | undefined;
  /** Held by the page that is being read. */
  private readonly paging = new SharedLock();
  /** Readings and copying that are under way. */
  private underWay = 0;
  /** Nodes that left while something is read, and of which task: what is read of them may be older. */
  private readonly newer = new Map<string, string>();
  private linger: Timer | undefined;
  private isFull = false;

  constructor(options: RecallOptions) {
    this.options = options;
  }

  /** What a view with this spec is computed from. */
  sourceFor(spec: ViewSpec): ViewSource {
    const { live } = this.options;
    return recallsAny(spec) ? new RecalledSource(live, this, spec) : live;
  }

  /** A view begins to look. What it asks for comes when it is read. */
  acquire(spec: ViewSpec): void {
    if (!recallsAny(spec)) return;
    this.linger?.cancel();
    const tasks = tasksNamed(spec);
    if (tasks === 'all') {
      if (++this.wantedAll === 1) this.readAll();
      return;
    }
    for (const taskId of tasks) {
      this.wanted.set(taskId, (this.wanted.get(taskId) ?? 0) + 1);
      void this.readOnce(taskId);
    }
  }

  release(spec: ViewSpec): void {
    if (!recallsAny(spec)) return;
    const tasks = tasksNamed(spec);
    if (tasks === 'all') {
      this.wantedAll--;
      for (const taskId of this.reads.keys()) this.unlessWanted(taskId);
    } else
      for (const taskId of tasks) {
        const count = (this.wanted.get(taskId) ?? 0) - 1;
        if (count > 0) this.wanted.set(taskId, count);
        else this.wanted.delete(taskId);
        this.unlessWanted(taskId);
      }
    this.linger?.cancel();
    this.linger = this.options.clock.after(LINGER_MS, () => this.letGo());
  }

  /** Looks when what the spec asks for is there. */
  async during<T>(spec: ViewSpec, look: () => T | Promise<T>): Promise<T> {
    this.acquire(spec);
    try {
      await this.settled(spec);
      return await look();
    } finally {
      this.release(spec);
    }
  }

  /** All tasks as they are seen by who recalls them, as far as they are recalled now. */
  get everything(): ViewSource {
    return this.sourceFor(EVERYTHING);
  }

  /** Is all there that a view with this spec asks for? */
  isSettled(spec: ViewSpec): boolean {
    return !recallsAny(spec) || this.pending(spec).length === 0;
  }

  /** Resolves when what a view with this spec asks for is there, whatever others ask for; without one when everything is. */
  async settled(spec?: ViewSpec): Promise<void> {
    for (;;) {
      const pending = this.pending(spec);
      if (pending.length === 0) return;
      await Promise.all(pending);
    }
  }

  /** Does the archive have anything of this task? Whether or not anybody asks for it. */
  async knows(taskId: string): Promise<boolean> {
    for await (const page of this.options.archive.archivedTask(taskId)) if (page.length > 0) return true;
    return false;
  }

  /** The task of an archived node. */
  async taskOf(nodeId: string): Promise<string | undefined> {
    return (await this.options.archive.archivedNode(nodeId))?.node.taskId;
  }

  /** Does a task look different when it is recalled? */
  has(taskId: string): boolean {
    return this.whole?.isReady === true && this.whole.touched.has(taskId);
  }

  /** The tasks whose archived nodes tell of this edge. */
  tasksWith(edge: ExplanationEdge): readonly string[] {
    return this.kept.tasksWith(edge);
  }

  /** Everything, once it is copied. */
  get ready(): { readonly graph: GraphReader; readonly folds: TaskFolds } | undefined {
    const { whole } = this;
    return whole?.isReady === true ? { graph: whole.graph.graph, folds: whole.folds } : undefined;
  }

  /** These nodes have just left memory. */
  keep(steps: readonly ArchivedStep[]): void {
    // What is kept of an earlier time that they left is not right any more, whoever wanted it.
    for (const { node } of steps) {
      for (const id of this.kept.remove(node.id)) this.whole?.stale.add(id);
      if (this.underWay > 0) this.newer.set(node.id, node.taskId);
    }
    const some = steps.filter(({ node }) => this.wants(node.taskId));
    if (some.length > 0) {
      const whole = this.whole ?? this.begin();
      for (const step of some) this.hold(step, whole);
    }
    this.holdBound();
  }

  /** These nodes are in memory again, perhaps as others: nothing is kept of how they left. */
  returned(ids: Iterable<string>): void {
    for (const id of ids) {
      for (const touched of this.kept.remove(id)) this.whole?.stale.add(touched);
      if (this.underWay > 0) this.newer.set(id, '');
    }
  }

  /** These tasks were erased. */
  forget(tasks: Iterable<string>): void {
    for (const taskId of tasks) this.drop(taskId);
  }

  /** The graph in memory has changed so. */
  follow(changes: ChangeLog): void {
    this.whole?.graph.follow(changes);
  }

  /** The tasks that may look different now to readers who recall. */
  takeChanges(): ReadonlySet<string> {
    const { whole } = this;
    if (!whole?.isReady) return NO_TASKS;
    whole.folds.catchUp();
    const tasks = whole.changed;
    whole.changed = new Set();
    return tasks;
  }

  /** What changed in the whole graph, for its folds. */
  private wholeChanges(whole: Whole): ChangeLog | undefined {
    const { kept } = this;
    const { nowKept, nowLinked, stale } = whole;
    const { graph } = whole.graph;
    if (stale.size > 0) whole.graph.copy(stale);
    stale.clear();
    if (!graph.hasChanged && nowKept.size + nowLinked.size === 0) return undefined;
    const { log } = graph.takeChanges();
    for (const taskId of nowKept) log.taskChanged(taskId);
    nowKept.clear();
    // A kept node that is in memory again may tell of edges within the task that it is in now.
    for (const id of [...log.nodes, ...nowLinked]) {
      const taskId = kept.hasEdgesInto(id) ? graph.node(id)?.taskId : undefined;
      if (taskId === undefined) continue;
      whole.touched.add(taskId);
      log.taskChanged(taskId);
    }
    nowLinked.clear();
    for (const taskId of withFollowers(log.tasks, graph)) whole.changed.add(taskId);
    for (const taskId of Array.from(log.tasks)) {
      if (!kept.hasTask(taskId)) continue;
      for (const touched of [taskId, ...graph.tasksAfter(taskId)]) {
        whole.touched.add(touched);
        log.taskChanged(touched);
      }
    }
    // Of all others nobody asks how they are folded here.
    for (const taskId of log.tasks) if (!whole.touched.has(taskId)) log.tasks.delete(taskId);
    return log;
  }

  private wants(taskId: string): boolean {
    return this.wantedAll > 0 || this.wanted.has(taskId);
  }

  private pending(spec?: ViewSpec): Promise<void>[] {
    const tasks = spec ? tasksNamed(spec) : this.reads.keys();
    const reads = tasks === 'all' ? [] : Array.from(tasks, (taskId) => this.reads.get(taskId));
    const all = tasks === 'all' || !spec ? this.readingAll : undefined;
    return [...reads, all, this.copying].filter((work) => work !== undefined);
  }

  private readAll(): void {
    this.isFull = false;
    const read = async (): Promise<void> => {
      for (const taskId of await this.options.archive.archivedTasks()) {
        if (this.isFull) return;
        if (this.wants(taskId)) await this.readOnce(taskId);
      }
    };
    const reading = this.begun(read, () => {
      if (this.readingAll === reading) this.readingAll = undefined;
    });
    this.readingAll = reading;
  }

  private async readOnce(taskId: string): Promise<void> {
    if (this.reads.has(taskId)) return this.reads.get(taskId);
    if (this.underWay === 0) this.isFull = false;
    const read = (): Promise<void> => this.read(taskId);
    const reading = this.begun(read, () => {
      if (this.reads.get(taskId) === reading) this.reads.set(taskId, undefined);
    });
    this.reads.set(taskId, reading);
    return reading;
  }

  /** What is not asked for any more may change unseen, so it is read again for whoever asks next. */
  private unlessWanted(taskId: string): void {
    if (!this.wants(taskId)) this.reads.delete(taskId);
  }

  /** One page at a time, of whatever task: so a small task comes soon while large ones are read. */
  private async *pagesOf(taskId: string): AsyncGenerator<readonly ArchivedStep[]> {
    const pages = this.options.archive.archivedTask(taskId)[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await this.paging.alone(() => pages.next());
      if (done === true) return;
      yield value;
    }
  }

  private async read(taskId: string): Promise<void> {
    for await (const page of this.pagesOf(taskId)) {
      if (!this.wants(taskId)) return;
      if (page.length === 0) continue;
      const held = this.whole;
      const whole = held ?? this.begin();
      for (const step of page) if (!this.isOutdated(step)) this.hold(step, whole);
      held?.graph.copy(page.map(({ node }) => node.id));
      this.holdBound();
      this.options.onChange();
      // It was the first to go: it alone is more than is held.
      if (!this.kept.hasTask(taskId)) return;
    }
  }

  private hold(step: ArchivedStep, { nowKept, nowLinked }: Whole): void {
    this.kept.add(step);
    nowKept.add(step.node.taskId);
    for (const { to } of step.edges) nowLinked.add(to);
  }

  /** Has the node that was read left once more since? */
  private isOutdated({ node: { id, taskId } }: ArchivedStep): boolean {
    const since = this.newer.get(id);
    return since !== undefined && (since !== taskId || this.kept.node(id) !== undefined);
  }

  /** Somebody is to see an archived node, for the first time since nobody did. */
  private begin(): Whole {
    const { live, limits, clock, pace } = this.options;
    const graph = new WholeGraph(live.graph, this.kept);
    const folds = new TaskFolds(graph.graph, limits, clock, () => this.wholeChanges(whole));
    const whole: Whole = {
      graph,
      folds,
      touched: new Set(),
      nowKept: new Set(),
      nowLinked: new Set(),
      stale: new Set(),
      changed: new Set(),
      isReady: false,
    };
    this.whole = whole;
    const copy = async (): Promise<void> => {
      await inTurns(graph.fill(), pace, () => this.whole === whole);
      if (this.whole !== whole) return;
      whole.isReady = true;
      this.options.onChange();
    };
    const copying = this.begun(copy, () => {
      if (this.copying === copying) this.copying = undefined;
    });
    this.copying = copying;
    return whole;
  }

  /** Never rejects. @param over called when it has ended, in whatever way */
  private async begun(work: () => Promise<void>, over: () => void): Promise<void> {
    this.underWay++;
    // Not before the caller has it.
    await Promise.resolve();
    try {
      await work();
    } catch (error) {
      this.options.logger.error({ err: error }, 'nodes that left memory cannot be read');
    } finally {
      over();
      if (--this.underWay === 0) this.newer.clear();
    }
  }

  private holdBound(): void {
    for (const taskId of this.kept.taskIds()) {
      if (this.kept.size <= (this.options.maxKept ?? MAX_KEPT)) return;
      if (!this.isFull)
        this.options.logger.warn(
          { nodes: this.kept.size },
          'more left memory than is shown at once: ask for fewer tasks',
        );
      this.isFull = true;
      this.drop(taskId);
    }
  }

  private drop(taskId: string): void {
    this.reads.delete(taskId);
    const touched = this.kept.removeTask(taskId);
    if (touched.size === 0 || !this.whole) return;
    this.whole.graph.copy(touched);
    this.options.onChange();
  }

  /** Nobody has asked for a while. */
  private letGo(): void {
    if (this.wanted.size > 0 || this.wantedAll > 0) {
      for (const taskId of this.kept.taskIds()) if (!this.wants(taskId)) this.drop(taskId);
      return;
    }
    this.whole = undefined;
    this.kept = new KeptSteps();
  }
}
