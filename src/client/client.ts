import type { AnnotationState, NewAnnotation } from '../model/annotation.ts';
import type { CompareAnswer } from '../model/compare.ts';
import type { ExplanationGraph } from '../model/node.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import type { TaskSummary } from '../model/summary.ts';
import type { PatternsAnswer } from '../model/patterns.ts';
import type { Pruned } from '../model/pruned.ts';
import type { TaskOverview } from '../model/task-overview.ts';
import type { SearchPage, SearchQuery } from '../model/search.ts';
import type { TaskPage, TaskQuery } from '../model/task-query.ts';
import type { SpikesAnswer, WhyAnswer } from '../model/why.ts';
import { ClientError } from './client-error.ts';
import { LiveGraph, type SubscribeOptions } from './live-graph.ts';
import { DEFAULT_TIMING, type Timing } from './timing.ts';
import type { MembersPage, Transport } from './transport.ts';
import { givenFields } from '../base/given-fields.ts';
import type { Filters, ViewRequest } from './view-request.ts';

export interface ConnectOptions {
  /**
   * The readers' port: `http://127.0.0.1:9000` and `ws://127.0.0.1:9000/explain` mean the same, `https`/`wss` with
   * TLS. In Node also `grpc://127.0.0.1:9000` and, with TLS, `grpcs://`.
   */
  readonly url: string;
  /** The token of the service's setting `auth`. */
  readonly token?: string;
  /** For pages that the service itself serves, with the cookie of a log-in: the `csrf` of GET /api/me. */
  readonly csrf?: () => string | undefined;
  /** Waits, and for tests the clock. */
  readonly timing?: Partial<Timing>;
}

/**
 * A way to one service, made by `connect()`. Nothing is sent before the first call. The single answers below reject
 * with ClientError: UNREACHABLE, TIMEOUT, BAD_ANSWER, CLOSED, or the service's own code.
 */
export class Client {
  private readonly transport: Transport;
  private readonly timing: Timing;
  private readonly open = new Set<LiveGraph>();
  private closing: Promise<void> | undefined;

  /** @internal Use `connect()`. */
  constructor(transport: Transport, timing: Timing) {
    this.transport = transport;
    this.timing = timing;
  }

  /** A graph that keeps itself current. @throws ClientError CLOSED */
  subscribe(options: SubscribeOptions = {}): LiveGraph {
    this.assertOpen();
    const live: LiveGraph = new LiveGraph(this.transport, options, this.timing, () => this.open.delete(live));
    this.open.add(live);
    return live;
  }

  /** The graph as it is now. */
  async getGraph({ filters = {}, ...view }: ViewRequest = {}): Promise<ExplanationGraph> {
    this.assertOpen();
    return this.transport.getGraph({ ...view, filters: givenFields(filters) });
  }

  /**
   * One node with its full redacted texts and attributes; of a SUMMARY a page of what it stands for (`memberCount`
   * says how many there are). NOT_FOUND when it is unknown.
   */
  async getNode(nodeId: string, page: MembersPage = {}): Promise<NodeDetail> {
    this.assertOpen();
    return this.transport.getNode(nodeId, page);
  }

  /**
   * All tasks that match, in memory and archived; the newest first, unless `sort` says otherwise. What a gateway lacks of
   * them, as a cell is away, is said by `findTasks` (`notices`).
   */
  async listTasks(query: Omit<TaskQuery, 'cursor'> = {}): Promise<readonly TaskOverview[]> {
    const all: TaskOverview[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await this.findTasks({ ...query, cursor });
      all.push(...page.tasks);
      cursor = page.nextCursor;
      if (cursor === undefined) return all;
    }
  }

  /** A page of the tasks that match, in memory and archived; `nextCursor` leads to the next one. */
  async findTasks(query: TaskQuery = {}): Promise<TaskPage> {
    this.assertOpen();
    return this.transport.findTasks(givenFields({ ...query }));
  }

  /** Places where a text stands in titles, names, agents and full texts; `nextCursor` goes on. */
  async search(query: SearchQuery): Promise<SearchPage> {
    this.assertOpen();
    return this.transport.search(query);
  }

  /**
   * The way back from a node, and the steps that may have caused it: where to look first, no verdict.
   * @param asked the id of a node, or a task: then the answer is about the node at which it failed
   */
  async why(asked: string | { readonly taskId: string }): Promise<WhyAnswer> {
    this.assertOpen();
    return this.transport.why(typeof asked === 'string' ? { nodeId: asked } : asked);
  }

  /** Steps far above the others of their kind in cost, time or tokens; of one task, or of all in memory. */
  async spikes(taskId?: string): Promise<SpikesAnswer> {
    this.assertOpen();
    return this.transport.spikes(taskId);
  }

  /**
   * Two tasks side by side, in memory or archived: what differs, and where they part. `a` and `b` are task ids; NOT_FOUND
   * when one is unknown, INVALID_ARGUMENT when they are the same.
   */
  async compare(a: string, b: string): Promise<CompareAnswer> {
    this.assertOpen();
    return this.transport.compare(a, b);
  }

  /**
   * Over many tasks: which kinds of steps fail, cost or take most, and which are in failed tasks more often than in others.
   * @param filters only steps that match count, and tasks that have one
   */
  async patterns(filters: Filters = {}): Promise<PatternsAnswer> {
    this.assertOpen();
    return this.transport.patterns(givenFields(filters));
  }

  /** A task, in memory or archived, in a few sentences; each names the nodes that it is about. NOT_FOUND when it is unknown. */
  async summary(taskId: string): Promise<TaskSummary> {
    this.assertOpen();
    return this.transport.summary(taskId);
  }

  /**
   * Says something of a node: a note, a question, a verdict, or the answer to an agent that waits for an approval. What
   * stands of a node is in its details (`annotationsOf(node)`).
   */
  async annotate(nodeId: string, given: NewAnnotation): Promise<AnnotationState> {
    this.assertOpen();
    return this.transport.annotate(nodeId, given);
  }

  /** Has the service take nodes out of memory that have not changed for so long; they stay in its store. */
  async prune(olderThanMinutes: number): Promise<Pruned> {
    this.assertOpen();
    return this.transport.prune(olderThanMinutes);
  }

  /** Closes every graph and the connection. Resolves when nothing keeps the process alive any more. */
  close(): Promise<void> {
    if (this.closing === undefined) {
      for (const live of this.open) live.close();
      this.closing = this.transport.close();
    }
    return this.closing;
  }

  private assertOpen(): void {
    if (this.closing !== undefined) throw new ClientError('CLOSED', 'the client is closed; connect() again');
  }
}

export function timingOf(options: ConnectOptions): Timing {
  return { ...DEFAULT_TIMING, ...options.timing };
}
