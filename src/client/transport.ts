import type { AnnotationState, NewAnnotation } from '../model/annotation.ts';
import type { CompareAnswer } from '../model/compare.ts';
import type { ExplanationGraph } from '../model/node.ts';
import type { NodeDetail, ServerFrame } from '../model/reader-messages.ts';
import type { PatternsAnswer } from '../model/patterns.ts';
import type { Pruned } from '../model/pruned.ts';
import type { SearchPage, SearchQuery } from '../model/search.ts';
import type { TaskSummary } from '../model/summary.ts';
import type { TaskPage, TaskQuery } from '../model/task-query.ts';
import type { SpikesAnswer, WhyAnswer, WhyQuestion } from '../model/why.ts';
import type { ClientError } from './client-error.ts';
import type { Filters, ViewRequest } from './view-request.ts';

/** A way to the service. Reconnecting, resuming and keeping the graph is not its business. */
export interface Transport {
  /**
   * Opens a subscription, or takes up an earlier one: one attempt. The listener is never called before this
   * returns, and not any more after `ended` or `Feed.close`.
   */
  openFeed(request: FeedRequest, listener: FeedListener): Feed;

  /** Single answers. Reject with ClientError. */
  getGraph(request: ViewRequest): Promise<ExplanationGraph>;
  getNode(nodeId: string, page: MembersPage): Promise<NodeDetail>;
  findTasks(query: TaskQuery): Promise<TaskPage>;
  search(query: SearchQuery): Promise<SearchPage>;
  why(question: WhyQuestion): Promise<WhyAnswer>;
  spikes(taskId: string | undefined): Promise<SpikesAnswer>;
  compare(a: string, b: string): Promise<CompareAnswer>;
  patterns(filters: Filters): Promise<PatternsAnswer>;
  summary(taskId: string): Promise<TaskSummary>;
  annotate(nodeId: string, given: NewAnnotation): Promise<AnnotationState>;
  prune(olderThanMinutes: number): Promise<Pruned>;

  /** Lets go of everything; resolves when nothing is held any more. Open feeds are closed before. */
  close(): Promise<void>;
}

/** Which members of a SUMMARY come with it. */
export interface MembersPage {
  /** How many to pass over; 0 if absent. */
  readonly offset?: number | undefined;
  /** 200 if absent, at most 1000. */
  readonly limit?: number | undefined;
}

export interface FeedRequest extends ViewRequest {
  /** To take up an earlier subscription. */
  readonly subscriptionId?: string;
  /** The last sequence seen. */
  readonly resumeFrom?: number;
}

export interface FeedListener {
  frame(frame: ServerFrame): void;
  /** Nothing comes any more: refused, lost, or ended by the service. */
  ended(error: ClientError): void;
}

/** What changes the view of one subscription. */
export type Verb =
  | { readonly type: 'updateFilters'; readonly filters: Filters }
  | { readonly type: 'expand' | 'collapse'; readonly nodeId: string }
  | { readonly type: 'expandTask'; readonly taskId: string };

export interface Feed {
  /** Resolves when the service has done it; rejects with ClientError. Only while the feed is open. */
  perform(subscriptionId: string, verb: Verb): Promise<void>;
  /** Ends it without a word to the listener, and tells the service to forget the subscription if one is named. */
  close(unsubscribe: string | undefined): void;
}
