import type { IsOver, Work } from '../base/in-turns.ts';
import { BoundaryError } from '../base/boundary-error.ts';
import type { AdaptationEffect, AdaptationTimeline } from '../model/adaptation-effect.ts';
import type { CompareAnswer } from '../model/compare.ts';
import type { StepTexts } from '../model/facts.ts';
import type { SpikesAnswer, WhyAnswer } from '../model/why.ts';
import type { TaskSummary } from '../model/summary.ts';
import { epochMs, toIso } from '../model/time.ts';
import type { ExplanationGraph, ExplanationNode } from '../model/node.ts';
import type { PatternsAnswer } from '../model/patterns.ts';
import type { OwnMetrics } from '../telemetry/own-metrics.ts';
import { compareAnswer, spikesAnswer, summaryAnswer, whyAnswer, type LoadTexts } from './answers.ts';
import { FailuresInSight } from './failures-in-sight.ts';
import { findEffect } from './adaptation-effect.ts';
import type { FinishedTasksOptions } from './finished-tasks.ts';
import { findPatterns } from './patterns.ts';
import { GraphMaker, type GraphMakerOptions } from './graph-maker.ts';
import { nodeDetail, summaryDetail, textsOf, type SourceLookup } from './node-detail.ts';
import {
  parseFilters,
  parseId,
  parsePage,
  parseRequest,
  parseTwoTasks,
  parseWhyQuestion,
} from './parse-request.ts';
import type { ArtifactsEvent, NodeDetail } from '../model/reader-messages.ts';
import type { SearchPage } from '../model/search.ts';
import type { TaskPage } from '../model/task-query.ts';
import type { TaskCounts } from '../model/told-cells.ts';
import type { ReaderApi, SubscriberSink, SubscriptionHandle } from './reader-api.ts';
import { Subscriptions, type SubscriptionLimits } from './subscriptions.ts';
import { nodeNamedBy, summaryTask } from './expansion.ts';
import { Search, type SearchOptions } from './search.ts';
import { TaskList, type TaskArchive } from './task-list.ts';
import type { Decorate } from './compute-view.ts';
import { View } from './view.ts';
import { ViewPool } from './view-pool.ts';
import { ownViewChanges } from './own-view-changes.ts';
import type { ViewSource } from './view-source.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { FoldLimits } from '../pruning/fold.ts';
import type { TaskFolds } from '../pruning/task-folds.ts';
import type { Recall } from './recall/recall.ts';
import { EVERYTHING, recallsAny } from './recall/wanted.ts';
import { structureGraph } from './structure-graph.ts';
import { structureOf } from './structure-node.ts';
import type { Detail, ViewSpec } from './view-spec.ts';

export interface ReaderOptions extends GraphMakerOptions, SubscriptionLimits {
  /** What is in memory. */
  readonly source: { readonly graph: GraphReader; readonly folds: TaskFolds };
  /** Brings back what is not; absent where nothing is kept of what left memory. */
  readonly recall?: Recall | undefined;
  /** Lists the tasks that left it. */
  readonly taskArchive?: TaskArchive | undefined;
  readonly sources: SourceLookup;
  /** Sees that `sources` has the texts of these nodes; absent where it always has. */
  readonly loadTexts?: ((nodeIds: readonly string[]) => Promise<void>) | undefined;
  readonly limits: FoldLimits;
  readonly metrics: OwnMetrics;
  readonly decorate: Decorate;
  /** Takes nodes out of memory and tells all readers; returns how many went. */
  readonly prune: (olderThanMs: number) => Promise<number>;
}

const NO_TASKS: ReadonlySet<string> = new Set();
const MAX_TASKS_LOOKED_AT = 100;
/** Nodes read between two looks at the clock. */
const NODES_A_LOOK = 100;

/** The tasks that somebody asks for by name, and not node by node. */
function foldedTasksOf({ collapse, filters }: ViewSpec): readonly string[] {
  if (collapse === 'none' || filters.taskIds === undefined) return [];
  return [...filters.taskIds].slice(0, MAX_TASKS_LOOKED_AT);
}

/** Every way of looking at the graph. */
export class Reader implements ReaderApi {
  private readonly options: ReaderOptions;
  private readonly views: ViewPool<View>;
  private readonly graphs: GraphMaker;
  private readonly subscriptions: Subscriptions;
  private readonly tasks: TaskList;
  private readonly failures: FailuresInSight;
  private lastUpdated: string;

  constructor(options: ReaderOptions) {
    this.options = options;
    this.graphs = new GraphMaker(options);
    const lastUpdated = (): string => this.lastUpdated;
    const { source, recall, decorate } = options;
    const sourceFor = (spec: ViewSpec): ViewSource => recall?.sourceFor(spec) ?? source;
    this.views = new ViewPool<View>({
      recall,
      newView: (spec, other) => new View(sourceFor(spec), spec, decorate, other),
      lastUpdated,
      onUpdates: (updates) => this.subscriptions.publish(updates),
    });
    const { views, graphs } = this;
    const changes = ownViewChanges(source, sourceFor, recall);
    this.subscriptions = new Subscriptions({ ...options, changes, views, graphs, lastUpdated });
    this.tasks = new TaskList({
      ...options,
      graph: source.graph,
      archive: options.taskArchive,
      pace: graphs.pace,
    });
    this.failures = new FailuresInSight({
      ...options,
      pace: graphs.pace,
      loadTexts: async (ids) => {
        await options.loadTexts?.(ids);
        return (id) => this.textsInMemory(id) ?? {};
      },
      onChange: (taskId) => {
        this.lastUpdated = this.now();
        this.noteInViews(new Set([taskId]), NO_TASKS);
        options.bringUpToDate();
      },
    });
    this.lastUpdated = this.now();
  }

  /** Tells subscribers whose view shows the task. */
  tell(taskId: string, event: ArtifactsEvent): void {
    this.subscriptions.tell(taskId, event);
  }

  get subscriptionCount(): number {
    return this.subscriptions.count;
  }

  get viewCount(): number {
    return this.views.size;
  }

  /**
   * These tasks changed, and whatever depends on them: whoever asks sees it from now on.
   * @param recalled tasks that changed for those who see what left memory, too
   */
  note(tasks: ReadonlySet<string>, recalled: ReadonlySet<string>): void {
    this.lastUpdated = this.now();
    this.noteInViews(tasks, recalled);
    this.tasks.changed(tasks);
    this.failures.changed(tasks);
  }

  /** Is anything noted that readers are to be told? */
  get isStale(): boolean {
    return this.views.isStale;
  }

  /** Tells the readers what was noted. What changes in the graph between two turns of it has to be noted before the next. */
  publish(isOver: IsOver): Work<void> {
    return this.views.refreshAll(isOver);
  }

  subscribe(request: unknown, sink: SubscriberSink, requestId?: string): SubscriptionHandle {
    const handle = this.subscriptions.subscribe(request, sink, requestId);
    this.failures.watch(foldedTasksOf(parseRequest(request).spec));
    return handle;
  }

  updateFilters(subscriptionId: unknown, filters: unknown, requestId?: string): boolean | Promise<boolean> {
    return this.subscriptions.updateFilters(subscriptionId, filters, requestId);
  }

  expand(subscriptionId: unknown, nodeId: unknown, requestId?: string): boolean | Promise<boolean> {
    return this.subscriptions.expand(subscriptionId, nodeId, requestId);
  }

  collapse(subscriptionId: unknown, nodeId: unknown, requestId?: string): boolean | Promise<boolean> {
    return this.subscriptions.collapse(subscriptionId, nodeId, requestId);
  }

  expandTask(subscriptionId: unknown, taskId: unknown, requestId?: string): boolean | Promise<boolean> {
    return this.subscriptions.expandTask(subscriptionId, taskId, requestId);
  }

  unsubscribe(subscriptionId: unknown): void {
    this.subscriptions.unsubscribe(subscriptionId);
  }

  /** Forgets who is away: the service stops. */
  forgetAway(): void {
    this.subscriptions.forgetAway();
  }

  /** Ends all subscriptions: the service stops. */
  closeAll(reason: string): void {
    this.subscriptions.closeAll(reason);
    this.failures.stop();
  }

  async prune(olderThanMinutes: unknown): Promise<{ readonly prunedNodes: number }> {
    const isAge = typeof olderThanMinutes === 'number' && olderThanMinutes >= 0 && olderThanMinutes <= 1e9;
    if (!isAge) throw new BoundaryError('INVALID_ARGUMENT', 'olderThanMinutes must be a number from 0');
    const prunedNodes = await this.options.prune(olderThanMinutes * 60_000);
    return { prunedNodes };
  }

  /** Of what left memory it shows as much as is recalled by now. */
  getGraph(input: unknown, _isWanted?: () => boolean, detail?: Detail): ExplanationGraph {
    const { spec } = parseRequest(input, detail);
    this.options.bringUpToDate();
    return this.views.peek(spec);
  }

  /** With what left memory and is asked for, once it is all there. */
  async getWholeGraph(
    input: unknown,
    isWanted: () => boolean = () => true,
    detail?: Detail,
  ): Promise<ExplanationGraph> {
    const { spec } = parseRequest(input, detail);
    const { recall, bringUpToDate } = this.options;
    bringUpToDate();
    await this.failures.look(foldedTasksOf(spec));
    if (!recall || !recallsAny(spec)) return this.graphInTurns(spec, isWanted);
    return recall.during(spec, () => this.graphInTurns(spec, isWanted));
  }

  /** A node in memory; a summary as those see it who recall its task, if there are any now. */
  getNode(nodeId: unknown, page?: unknown): NodeDetail {
    const { source, sources, recall, bringUpToDate } = this.options;
    const id = parseId(nodeId, 'nodeId');
    const membersPage = parsePage(page);
    bringUpToDate();
    const node = source.graph.node(id);
    if (node) return nodeDetail(node, sources);
    return summaryDetail(id, recall?.everything ?? source, membersPage);
  }

  /** As `getNode`, for a summary of nodes that left memory. */
  async getRecalledNode(nodeId: unknown, page?: unknown): Promise<NodeDetail> {
    const { source, recall } = this.options;
    const id = parseId(nodeId, 'nodeId');
    const taskId = summaryTask(id, source.graph) ?? (await recall?.taskOf(nodeNamedBy(id) ?? ''));
    if (!recall || taskId === undefined) return this.getNode(id, page);
    return recall.during({ ...EVERYTHING, filters: { taskIds: new Set([taskId]) } }, () =>
      this.getNode(id, page),
    );
  }

  listTasks(query?: unknown): Promise<TaskPage> {
    return this.tasks.page(query);
  }

  /** Of all tasks, in memory and archived. */
  taskCounts(): Promise<TaskCounts> {
    return this.tasks.counts();
  }

  /** In what is in memory. @param where to look besides */
  search(query: unknown, where: Partial<Pick<SearchOptions, 'nodesOf' | 'node'>> = {}): Promise<SearchPage> {
    const { source, clock } = this.options;
    return new Search({
      clock,
      pace: this.graphs.pace,
      tasks: (wanted) => this.listTasks(wanted),
      nodesOf: async (taskId) => [...source.graph.nodesOfTask(taskId)],
      node: (nodeId) => this.getNode(nodeId),
      ...where,
    }).page(query);
  }

  /** They left memory. */
  left(nodes: Iterable<ExplanationNode>): void {
    this.tasks.left(nodes);
  }

  /** Nodes of these tasks that had left memory are there again. */
  back(tasks: readonly string[]): void {
    this.tasks.back(tasks);
  }

  /** These tasks were erased, wherever they were. */
  forget(tasks: readonly string[]): void {
    this.tasks.forget(tasks);
  }

  /** @param load gets the texts of nodes; those that can be got at once if absent */
  async why(question: unknown, detail?: Detail, load: LoadTexts = this.loadAtOnce): Promise<WhyAnswer> {
    const asked = parseWhyQuestion(question);
    const { source, recall, bringUpToDate } = this.options;
    bringUpToDate();
    const taskId =
      'taskId' in asked
        ? asked.taskId
        : (source.graph.node(asked.nodeId)?.taskId ??
          summaryTask(asked.nodeId, source.graph) ??
          (await recall?.taskOf(nodeNamedBy(asked.nodeId) ?? asked.nodeId)));
    return this.inWholeTasks(taskId === undefined ? [] : [taskId], (graph) =>
      whyAnswer(seen(graph, detail), asked, read(load, detail), this.lastUpdated, this.graphs.pace),
    );
  }

  /** @param load gets the texts of nodes; those that can be got at once if absent */
  async compare(
    question: unknown,
    detail?: Detail,
    load: LoadTexts = this.loadAtOnce,
  ): Promise<CompareAnswer> {
    const tasks = parseTwoTasks(question);
    return this.inWholeTasks([tasks.a, tasks.b], (graph) =>
      compareAnswer(seen(graph, detail), tasks, read(load, detail), this.graphs.pace),
    );
  }

  /** @param load as for `why` */
  async summary(taskId: unknown, detail?: Detail, load: LoadTexts = this.loadAtOnce): Promise<TaskSummary> {
    const id = parseId(taskId, 'taskId');
    return this.inWholeTasks([id], (graph) =>
      summaryAnswer(seen(graph, detail), id, read(load, detail), this.lastUpdated, this.graphs.pace),
    );
  }

  /** Nothing is computed yet. @param recalled tasks that may look different to those who recall, beside the others */
  private noteInViews(tasks: ReadonlySet<string>, recalled: ReadonlySet<string>): void {
    const all = recalled.size === 0 ? tasks : new Set([...tasks, ...recalled]);
    for (const view of this.views.held()) view.note(recallsAny(view.spec) ? all : tasks);
  }

  private readonly loadAtOnce: LoadTexts = async () => (nodeId) => this.textsInMemory(nodeId) ?? {};

  /** As far as they can be got at once; undefined for a node that is not in memory. */
  textsInMemory(nodeId: string): StepTexts | undefined {
    const { source, sources } = this.options;
    return source.graph.node(nodeId) && textsOf(nodeId, sources);
  }

  async spikes(taskId: unknown): Promise<SpikesAnswer> {
    const id = taskId === undefined ? undefined : parseId(taskId, 'taskId');
    return this.inWholeTasks(id === undefined ? [] : [id], (graph) =>
      spikesAnswer(graph, id, this.graphs.pace),
    );
  }

  /** Over what is in memory. @param nodesOf the nodes of a task, wherever they are */
  async patterns(
    filters: unknown,
    detail?: Detail,
    nodesOf: FinishedTasksOptions['nodesOf'] = (taskId) => this.nodesInMemory(taskId),
  ): Promise<PatternsAnswer> {
    const seenOf: typeof nodesOf =
      detail === undefined ? nodesOf : async (taskId) => (await nodesOf(taskId)).map(structureOf);
    return findPatterns(parseFilters(filters), this.finishedTasks(seenOf));
  }

  /** Over what is in memory. @param nodesOf as for `patterns` */
  async adaptationEffect(
    timeline: AdaptationTimeline,
    nodesOf?: FinishedTasksOptions['nodesOf'],
  ): Promise<AdaptationEffect> {
    return findEffect(timeline, this.finishedTasks(nodesOf));
  }

  private finishedTasks(
    nodesOf: FinishedTasksOptions['nodesOf'] = (taskId) => this.nodesInMemory(taskId),
  ): FinishedTasksOptions {
    const { clock } = this.options;
    return { clock, pace: this.graphs.pace, tasks: (query) => this.listTasks(query), nodesOf };
  }

  async nodesInMemory(taskId: string): Promise<readonly ExplanationNode[]> {
    const { graph } = this.options.source;
    const nodes: ExplanationNode[] = [];
    for (const id of Array.from(graph.nodesOfTask(taskId))) {
      const node = graph.node(id);
      if (node?.taskId === taskId) nodes.push(node);
      if (nodes.length % NODES_A_LOOK === 0 && this.graphs.pace.isOver) await this.graphs.pace.rest();
    }
    return nodes;
  }

  /** Looks at what is in memory, and at what of these tasks left it. */
  private async inWholeTasks<T>(
    taskIds: readonly string[],
    look: (graph: GraphReader) => T | Promise<T>,
  ): Promise<T> {
    const { source, recall, bringUpToDate } = this.options;
    const left: string[] = [];
    for (const taskId of recall ? taskIds : []) if (await recall?.knows(taskId)) left.push(taskId);
    const lookNow = (): T | Promise<T> => {
      bringUpToDate();
      return look(recall?.ready?.graph ?? source.graph);
    };
    if (!recall || left.length === 0) {
      bringUpToDate();
      return look(source.graph);
    }
    return recall.during({ ...EVERYTHING, filters: { taskIds: new Set(left) } }, lookNow);
  }

  private async graphInTurns(spec: ViewSpec, isWanted: () => boolean): Promise<ExplanationGraph> {
    this.options.bringUpToDate();
    const view = this.views.acquire(spec);
    try {
      const graph = await this.graphs.whole(view, () => this.lastUpdated, isWanted);
      if (graph) return graph;
      throw new BoundaryError('UNAVAILABLE', 'nobody waits for this graph any more');
    } finally {
      this.views.release(view);
    }
  }

  private now(): string {
    return toIso(epochMs(this.options.clock.now()));
  }
}

/** The graph as who asks may see it. */
function seen(graph: GraphReader, detail: Detail | undefined): GraphReader {
  return detail === undefined ? graph : structureGraph(graph);
}

/** The texts as who asks may see them. */
function read(load: LoadTexts, detail: Detail | undefined): LoadTexts {
  return detail === undefined ? load : NO_TEXTS;
}

// eslint-disable-next-line @typescript-eslint/require-await -- the texts of others are read
const NO_TEXTS: LoadTexts = async () => () => ({});
