import { assert } from '../base/assert.ts';
import { BoundaryError } from '../base/boundary-error.ts';
import type { SpikesAnswer, WhyAnswer } from '../model/why.ts';
import { epochMs, toIso } from '../model/time.ts';
import type { ExplanationGraph } from '../model/node.ts';
import type { OwnMetrics } from '../telemetry/own-metrics.ts';
import { spikesAnswer, whyAnswer } from './answers.ts';
import { GraphMaker, type GraphMakerOptions } from './graph-maker.ts';
import { nodeDetail, summaryDetail, type SourceLookup } from './node-detail.ts';
import { parseId, parseRequest } from './parse-request.ts';
import type { NodeDetail, TaskOverview } from '../model/reader-messages.ts';
import type { ReaderApi, SubscriberSink, SubscriptionHandle } from './reader-api.ts';
import { Subscriptions, type SubscriptionLimits } from './subscriptions.ts';
import { nodeNamedBy, summaryTask } from './expansion.ts';
import { parsePage } from './parse-page.ts';
import { taskOverviews } from './task-overviews.ts';
import type { Decorate } from './view.ts';
import { ViewPool } from './view-pool.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { TaskFolds } from '../pruning/task-folds.ts';
import type { Recall } from './recall/recall.ts';
import { EVERYTHING, recallsAny } from './recall/wanted.ts';
import type { ViewSpec } from './view-spec.ts';

export interface ReaderOptions extends GraphMakerOptions, SubscriptionLimits {
  /** What is in memory. */
  readonly source: { readonly graph: GraphReader; readonly folds: TaskFolds };
  /** Brings back what is not; absent where nothing is kept of what left memory. */
  readonly recall?: Recall | undefined;
  readonly sources: SourceLookup;
  readonly metrics: OwnMetrics;
  readonly decorate: Decorate;
  /** Takes nodes out of memory; returns how many went. */
  readonly prune: (olderThanMs: number) => Promise<number>;
}

/** Every way of looking at the graph. */
export class Reader implements ReaderApi {
  private readonly options: ReaderOptions;
  private readonly views: ViewPool;
  private readonly graphs: GraphMaker;
  private readonly subscriptions: Subscriptions;
  private lastUpdated: string;

  constructor(options: ReaderOptions) {
    this.options = options;
    this.graphs = new GraphMaker(options);
    this.views = new ViewPool(options.source, options.recall, options.decorate);
    const { views, graphs } = this;
    this.subscriptions = new Subscriptions({
      ...options,
      views,
      graphs,
      lastUpdated: () => this.lastUpdated,
    });
    this.lastUpdated = this.now();
  }

  get subscriptionCount(): number {
    return this.subscriptions.count;
  }

  get viewCount(): number {
    return this.views.size;
  }

  /**
   * Tells the readers what changed in these tasks (and whatever depends on them).
   * @param recalled tasks that changed for those who see what left memory, too
   */
  publish(tasks: ReadonlySet<string>, recalled: ReadonlySet<string> = new Set()): void {
    this.lastUpdated = this.now();
    this.subscriptions.publish(tasks, recalled);
  }

  subscribe(request: unknown, sink: SubscriberSink, requestId?: string): SubscriptionHandle {
    return this.subscriptions.subscribe(request, sink, requestId);
  }

  updateFilters(subscriptionId: unknown, filters: unknown): void {
    this.subscriptions.updateFilters(subscriptionId, filters);
  }

  expand(subscriptionId: unknown, nodeId: unknown): void {
    this.subscriptions.expand(subscriptionId, nodeId);
  }

  collapse(subscriptionId: unknown, nodeId: unknown): void {
    this.subscriptions.collapse(subscriptionId, nodeId);
  }

  expandTask(subscriptionId: unknown, taskId: unknown): void | Promise<void> {
    return this.subscriptions.expandTask(subscriptionId, taskId);
  }

  unsubscribe(subscriptionId: unknown): void {
    this.subscriptions.unsubscribe(subscriptionId);
  }

  /** Ends all subscriptions: the service stops. */
  closeAll(reason: string): void {
    this.subscriptions.closeAll(reason);
  }

  async prune(olderThanMinutes: unknown): Promise<{ readonly prunedNodes: number }> {
    const isAge = typeof olderThanMinutes === 'number' && olderThanMinutes >= 0 && olderThanMinutes <= 1e9;
    if (!isAge) throw new BoundaryError('INVALID_ARGUMENT', 'olderThanMinutes must be a number from 0');
    const prunedNodes = await this.options.prune(olderThanMinutes * 60_000);
    this.options.bringUpToDate();
    return { prunedNodes };
  }

  /** Of what left memory it shows as much as is recalled by now. */
  getGraph(input: unknown): ExplanationGraph {
    const { spec } = parseRequest(input);
    this.options.bringUpToDate();
    return this.views.peek(spec, this.lastUpdated);
  }

  /** With what left memory and is asked for, once it is all there. */
  async getWholeGraph(input: unknown): Promise<ExplanationGraph> {
    const { spec } = parseRequest(input);
    const { recall } = this.options;
    if (!recall || !recallsAny(spec)) return this.graphInTurns(spec);
    return recall.during(spec, () => this.graphInTurns(spec));
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

  listTasks(): readonly TaskOverview[] {
    this.options.bringUpToDate();
    const { graph, folds } = this.options.source;
    return taskOverviews(graph, folds);
  }

  why(nodeId: unknown): WhyAnswer {
    const id = parseId(nodeId, 'nodeId');
    this.options.bringUpToDate();
    return whyAnswer(this.options.source.graph, id, this.lastUpdated);
  }

  spikes(taskId: unknown): SpikesAnswer {
    const id = taskId === undefined ? undefined : parseId(taskId, 'taskId');
    this.options.bringUpToDate();
    return spikesAnswer(this.options.source.graph, id);
  }

  private async graphInTurns(spec: ViewSpec): Promise<ExplanationGraph> {
    this.options.bringUpToDate();
    const view = this.views.acquire(spec);
    try {
      const graph = await this.graphs.make(view, { lastUpdated: () => this.lastUpdated });
      assert(graph !== undefined, 'a graph that is wanted is made');
      return graph;
    } finally {
      this.views.release(view);
    }
  }

  private now(): string {
    return toIso(epochMs(this.options.clock.now()));
  }
}
