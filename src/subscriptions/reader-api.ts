import type { AdaptationEffect, AdaptationTimeline } from '../model/adaptation-effect.ts';
import type { CompareAnswer } from '../model/compare.ts';
import type { ExplanationGraph } from '../model/node.ts';
import type { PatternsAnswer } from '../model/patterns.ts';
import type { Pruned } from '../model/pruned.ts';
import type { NodeDetail, ServerFrame } from '../model/reader-messages.ts';
import type { SearchPage } from '../model/search.ts';
import type { TaskPage } from '../model/task-query.ts';
import type { TaskSummary } from '../model/summary.ts';
import type { SpikesAnswer, WhyAnswer } from '../model/why.ts';
import type { Detail } from './view-spec.ts';

/**
 * What every server offers its readers, in one shape: the gRPC service, the WebSocket frames and the HTTP API
 * are translations of this interface and add nothing of their own. `detail` is for who may not read texts, and set by
 * nobody but `structure-reader.ts`.
 */
export interface ReaderApi {
  /**
   * Opens a subscription, or takes up an earlier one again (`subscriptionId` + `resumeFrom`). The answer goes
   * to `sink`: a `subscribed` frame, or `resumed` and the missed updates, or `snapshotNeeded`; at once, unless a large
   * graph has to be made first. `request` is unchecked input.
   * @param requestId named in the first frame that this causes
   * What is resumed and not known any more, as after a restart, is answered with `snapshotNeeded` too.
   * @throws BoundaryError INVALID_ARGUMENT (naming the field), RESOURCE_EXHAUSTED
   */
  subscribe(request: unknown, sink: SubscriberSink, requestId?: string): SubscriptionHandle;

  /**
   * The difference goes to the subscriber's sink, in parts if it is large; the first of them names the `requestId`.
   * @returns whether there is any; at once, unless a large view has to be made first. So do all that change a subscription.
   * @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND
   */
  updateFilters(subscriptionId: unknown, filters: unknown, requestId?: string): boolean | Promise<boolean>;
  /** SUMMARY out, its nodes and edges in: for this subscription only. @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND */
  expand(subscriptionId: unknown, nodeId: unknown, requestId?: string): boolean | Promise<boolean>;
  /** The way back; takes the id of the SUMMARY or of one of its members. */
  collapse(subscriptionId: unknown, nodeId: unknown, requestId?: string): boolean | Promise<boolean>;
  /**
   * Shows every node of a task, those that left memory as well; resolves when the task is known to be there. Its
   * nodes come in updates, as they are read.
   */
  expandTask(subscriptionId: unknown, taskId: unknown, requestId?: string): boolean | Promise<boolean>;
  unsubscribe(subscriptionId: unknown): void;
  /**
   * Takes nodes that have not changed for so long out of memory. Resolves to how many go, when all were looked at.
   * @throws BoundaryError INVALID_ARGUMENT, UNAVAILABLE
   */
  prune(olderThanMinutes: unknown): Promise<Pruned>;

  /**
   * `request`: { filters?, collapse?, include? }, unchecked.
   * @param isWanted false when whoever asked has gone: then it is made no further; always wanted if absent
   * @throws BoundaryError INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNAVAILABLE
   */
  getGraph(
    request: unknown,
    isWanted?: () => boolean,
    detail?: Detail,
  ): ExplanationGraph | Promise<ExplanationGraph>;
  /**
   * `page`: { offset?, limit? } of a summary's members, unchecked; the first 200 when absent.
   * @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND
   */
  getNode(nodeId: unknown, page?: unknown): NodeDetail | Promise<NodeDetail>;
  /**
   * A page of the tasks, in memory and archived. `query`: TaskQuery, unchecked.
   * @throws BoundaryError INVALID_ARGUMENT (naming the field)
   */
  listTasks(query?: unknown): TaskPage | Promise<TaskPage>;
  /** A page of the places where a text stands. `query`: SearchQuery, unchecked. @throws BoundaryError INVALID_ARGUMENT */
  search(query: unknown): Promise<SearchPage>;

  /**
   * "Show me why this failed": the way back from a node, and the steps that may have caused it. `question`:
   * `{ nodeId }`, or `{ taskId }` for the failed node of a task that is nearest to its root; unchecked.
   * @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND
   */
  why(question: unknown, detail?: Detail): Promise<WhyAnswer>;
  /** "Highlight cost spikes": of one task, in memory or archived, or of all in memory when `taskId` is undefined. @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND */
  spikes(taskId: unknown): Promise<SpikesAnswer>;
  /**
   * Two tasks side by side, in memory or archived. `question`: `{ a, b }`, their ids; unchecked.
   * @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND
   */
  compare(question: unknown, detail?: Detail): Promise<CompareAnswer>;
  /** A task, in memory or archived, in a few sentences. @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND */
  summary(taskId: unknown, detail?: Detail): Promise<TaskSummary>;
  /**
   * Over many tasks, in memory or archived: which kinds of steps fail, cost or take most, and which are in failed tasks
   * more often than in others. `filters`: those of a subscription, unchecked; only steps that match count.
   * @throws BoundaryError INVALID_ARGUMENT
   */
  patterns(filters: unknown, detail?: Detail): Promise<PatternsAnswer>;
  /** Tasks with and without each version of an adaptation, in memory or archived. `timeline` is checked. */
  adaptationEffect(timeline: AdaptationTimeline): Promise<AdaptationEffect>;
}

/** One reader's connection, as the subscriptions see it. */
export interface SubscriberSink {
  /** Queues a frame on the connection. Only called while `writable`. The frame is shared: never change it. */
  write(frame: ServerFrame): void;
  /** False while the connection's own buffer is over its bound; then updates merge until `drained` is called. */
  readonly writable: boolean;
  /** How little of nodes it is to be given; all of them if absent. */
  readonly detail?: Detail;
  /** The same for all subscriptions of one connection; one of its own if absent. */
  readonly connection?: unknown;
  /** The service ends this subscription; `reason` is for the reader. */
  close(reason: string): void;
}

export interface SubscriptionHandle {
  readonly subscriptionId: string;
  /**
   * Resolves when its graph is made, or nobody waits for it any more; rejects when it cannot be made. Absent when the
   * answer was given at once.
   */
  readonly begun?: Promise<unknown>;
  /** The connection can take more. */
  drained(): void;
  /** Is there anything that the connection was not given yet? */
  isBehind(): boolean;
  /** The connection is gone; updates are kept for `resumeWindowSeconds`. */
  disconnected(): void;
}
