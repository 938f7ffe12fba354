import type { Observable, Subject } from 'rxjs';
import type { CompareAnswer } from '../model/compare.ts';
import type { Filters } from '../model/filters.ts';
import type { ExplanationGraph } from '../model/node.ts';
import type { PatternsAnswer } from '../model/patterns.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import type { SearchPage, SearchQuery } from '../model/search.ts';
import type { ViewRequest } from '../model/subscription-request.ts';
import type { TaskSummary } from '../model/summary.ts';
import type { TaskPage, TaskQuery } from '../model/task-query.ts';
import type { SpikesAnswer, WhyAnswer } from '../model/why.ts';
import type { ViewUpdate } from './feed.ts';
import type { Refusal } from './inputs.ts';
import type { AgentEvent, Thought } from './messages.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** What was removed for good. */
export interface Erased {
  readonly tasks: readonly string[];
  readonly nodesInMemory: number;
  readonly nodesArchived: number;
  /** Tasks whose encrypted originals can be read no more. */
  readonly originalsOfTasks: number;
}

/** A page of what a SUMMARY node stands for; the first 200 when absent. */
export interface MembersPage {
  readonly offset?: number;
  readonly limit?: number;
}

/**
 * A service that runs inside a program. What it answers is redacted, as for every reader. Its methods reject with
 * BoundaryError, whose `code` and message say what was wrong and what to do; after `stop`, with UNAVAILABLE.
 */
export interface EmbeddedService {
  /** Where the service listens; undefined without ports. */
  readonly addresses:
    | {
        readonly otlpGrpc: Address;
        readonly otlpHttp: Address;
        readonly readers: Address;
      }
    | undefined;

  /**
   * Takes thoughts. A source that completes or fails does not end it; what is not taken is told by `refusals`. Ends
   * with the service.
   */
  readonly thoughts: Subject<Thought>;

  /** Takes events, likewise. */
  readonly events: Subject<AgentEvent>;

  /** What came through `thoughts` and `events` and was refused. It is said once, to who is subscribed by then. */
  readonly refusals: Observable<Refusal>;

  /**
   * As `thoughts.next`, for who has to know. Resolves when the thought is kept (`durability`); until then it may be lost.
   * @throws BoundaryError INVALID_ARGUMENT naming the field; RESOURCE_EXHAUSTED: too many wait, publish again later;
   *   UNAVAILABLE: the service stops, or its disk refuses
   */
  publishThought(thought: Thought): Promise<void>;

  /** As `events.next`, likewise. @throws BoundaryError as `publishThought` */
  publishEvent(event: AgentEvent): Promise<void>;

  /**
   * A live graph: each who subscribes gets the graph as it is (`snapshot`), and then what changes in it. At most one
   * update in a turn of the event loop; what changes while the program is busy comes as one. Completes when the service
   * stops; fails with INVALID_ARGUMENT when the view is none, naming the field.
   */
  updates(view?: ViewRequest): Observable<ViewUpdate>;

  /**
   * The same for who takes time with each update: `for await (const update of service.follow())`. Nothing piles up
   * behind it: what changes meanwhile is merged into one, and when that becomes too much, the graph begins anew.
   */
  follow(view?: ViewRequest): AsyncIterableIterator<ViewUpdate>;

  /** The graph as it is now. */
  getGraph(view?: ViewRequest): Promise<ExplanationGraph>;

  /** One node with its full texts and attributes; of a SUMMARY a page of what it stands for. NOT_FOUND when it is unknown. */
  getNode(nodeId: string, page?: MembersPage): Promise<NodeDetail>;

  /** A page of the tasks that match, in memory and archived; `nextCursor` leads to the next one. */
  findTasks(query?: TaskQuery): Promise<TaskPage>;

  /** Places where a text stands in titles, names, agents and full texts; `nextCursor` goes on. */
  search(query: SearchQuery): Promise<SearchPage>;

  /**
   * The way back from a node, and the steps that may have caused it.
   * @param asked the id of a node, or a task: then the answer is about the node at which it failed
   */
  why(asked: string | { readonly taskId: string }): Promise<WhyAnswer>;

  /** Steps far above the others of their kind in cost, time or tokens; of one task, or of all in memory. */
  spikes(taskId?: string): Promise<SpikesAnswer>;

  /** Two tasks side by side: what differs, and where they part. */
  compare(a: string, b: string): Promise<CompareAnswer>;

  /** Over many tasks: which kinds of steps fail, cost or take most, and which are in failed tasks more often. */
  patterns(filters?: Filters): Promise<PatternsAnswer>;

  /** A task in a few sentences. */
  summary(taskId: string): Promise<TaskSummary>;

  /** Takes nodes out of memory that have not changed for so long; they stay in the store, where there is one. */
  prune(olderThanMinutes: number): Promise<{ readonly prunedNodes: number }>;

  /**
   * Removes everything of a task, or of every task in which a step names this user, for good: from memory and, where
   * there is a `dataDir`, from the disk. What was removed is answered, and put on record in the audit log.
   */
  erase(target: { readonly taskId: string } | { readonly userId: string }): Promise<Erased>;

  /** The service's own metrics in Prometheus text format. */
  metrics(): Promise<string>;

  /** What keeps the service from doing all it should; empty when all is well. */
  readonly problems: readonly string[];

  /**
   * Takes nothing more, keeps what was taken, tells observers the last of it, and closes everything. Their observables
   * complete; who follows can still take what waits. A second call waits for the first.
   */
  stop(): Promise<void>;
}
