import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { wholeInTurns } from '../../base/in-turns.ts';
import type { Turns } from '../../base/pace.ts';
import { MewTask } from '../../exporters/mew/mew-task.ts';
import type { MewMessage } from '../../exporters/mew/message.ts';
import { endOf } from '../../model/failure.ts';
import type { Filters } from '../../model/filters.ts';
import {
  fromNothing,
  type ExplanationEdge,
  type ExplanationNode,
  type GraphUpdate,
} from '../../model/node.ts';
import type { ServerFrame } from '../../model/reader-messages.ts';
import { TASK_PARENT_WAIT_MS, TASK_QUIET_MS } from '../../model/task-over.ts';
import type { ReaderApi, SubscriberSink, SubscriptionHandle } from '../../subscriptions/reader-api.ts';
import { detailOf } from '../../subscriptions/task-content.ts';
import type { Logger } from '../../telemetry/logger.ts';

export interface MewOutOptions {
  readonly reader: () => ReaderApi;
  readonly filters: Filters;
  /** What came from there is not said there again. */
  readonly space: string;
  /** In whose name all is said: nobody is claimed to speak who does not. */
  readonly participant: string;
  readonly say: (message: MewMessage, taskId: string) => void;
  /** Called back with tasks that are erased. */
  readonly onErased: (listener: (tasks: readonly string[]) => void) => void;
  readonly clock: Clock;
  readonly pace: Turns;
  readonly logger: Logger;
}

/** Tasks that are told, and those that are over and may be told more of; the one that changed longest ago goes. */
const MAX_TASKS = 500;
/** Steps that came from the space: what is made of them came from there as well. */
const MAX_FROM_SPACE = 50_000;
/** A project that is being opened is asked again. */
const AGAIN_MS = 2_000;

interface Live {
  readonly task: MewTask;
  over?: Timer | undefined;
}

/**
 * Says the steps of tasks in a space of MEW as they come, each when it is over. What was there at the start is past; of what
 * was under way then the rest is said.
 */
export class MewOut implements SubscriberSink {
  private readonly options: MewOutOptions;
  private readonly tasks = new Map<string, Live>();
  private readonly taskOf = new Map<string, string>();
  private readonly fromSpace = new Set<string>();
  private readonly changed = new Set<string>();
  /** Tasks that were over at the start. */
  private readonly past = new Set<string>();
  /** While the graph is read that was there at the start. */
  private isPast = true;
  private isTold = false;
  private handle: SubscriptionHandle | undefined;
  private startedAt = 0;
  private again: Timer | undefined;
  private working: Promise<void> | undefined;
  private isStopped = false;

  constructor(options: MewOutOptions) {
    this.options = options;
  }

  start(): void {
    this.startedAt = this.options.clock.now();
    this.subscribe();
  }

  /** Resolves when what came is handed on; what comes after it is not said. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.again?.cancel();
    for (const { over } of this.tasks.values()) over?.cancel();
    if (this.handle) this.options.reader().unsubscribe(this.handle.subscriptionId);
    await this.working;
  }

  get writable(): boolean {
    return !this.isStopped;
  }

  write(frame: ServerFrame): void {
    switch (frame.type) {
      case 'subscribed':
        this.take(fromNothing(frame.graph));
        if (frame.partial !== true) this.allIsThere();
        return;
      case 'update':
        this.take(frame.update);
        if (frame.complete === true) this.allIsThere();
        return;
      case 'snapshotNeeded':
        return this.subscribeAgain(0);
      case 'resumed':
      case 'event':
        return;
    }
  }

  close(): void {
    this.subscribeAgain(AGAIN_MS);
  }

  private subscribe(): void {
    if (this.isStopped) return;
    const { reader, filters } = this.options;
    try {
      this.handle = reader().subscribe({ filters, collapse: 'none' }, this);
      if (!this.isTold)
        this.options.onErased((tasks) => {
          for (const taskId of tasks) this.forget(taskId);
        });
      this.isTold = true;
      this.handle.begun?.catch(() => this.subscribeAgain(AGAIN_MS));
    } catch (error) {
      const { code } = BoundaryError.from(error);
      this.options.logger.warn({ code }, 'what is to be said in a space of MEW cannot be read yet');
      this.subscribeAgain(AGAIN_MS);
    }
  }

  private subscribeAgain(ms: number): void {
    this.handle = undefined;
    this.again?.cancel();
    this.again = this.options.clock.after(ms, () => this.subscribe());
  }

  private allIsThere(): void {
    if (!this.isPast) return;
    this.isPast = false;
    for (const [taskId, { task }] of this.tasks) {
      task.skipPast();
      if (task.graph.isRunning) continue;
      this.past.add(taskId);
      this.forget(taskId);
    }
    this.changed.clear();
  }

  private take({ addedNodes, addedEdges, removedNodeIds, removedEdgeIds, timestamp }: GraphUpdate): void {
    const changes = new Map<string, { nodes: ExplanationNode[]; edges: ExplanationEdge[]; gone: string[] }>();
    const changesOf = (taskId: string) => {
      const found = changes.get(taskId) ?? { nodes: [], edges: [], gone: [] };
      changes.set(taskId, found);
      return found;
    };
    for (const id of removedNodeIds) {
      const taskId = this.taskOf.get(id);
      if (taskId === undefined) continue;
      this.taskOf.delete(id);
      changesOf(taskId).gone.push(id);
    }
    for (const node of addedNodes) {
      if (this.isFromSpace(node) || this.isOld(node)) continue;
      this.taskOf.set(node.id, node.taskId);
      changesOf(node.taskId).nodes.push(node);
    }
    for (const edge of addedEdges) {
      const taskId = this.taskOf.get(edge.to);
      if (taskId !== undefined) changesOf(taskId).edges.push(edge);
    }
    for (const [taskId, { nodes, edges, gone }] of changes) {
      const { task } = this.liveOf(taskId);
      task.change({
        addedNodes: nodes,
        addedEdges: edges,
        removedNodeIds: gone,
        removedEdgeIds: removedEdgeIds.filter(({ to }) => this.taskOf.get(to) === taskId),
        timestamp,
      });
      this.changed.add(taskId);
    }
    if (!this.isPast) this.work();
  }

  /** Of a task that was over at the start: only what is new of it is said. */
  private isOld(node: ExplanationNode): boolean {
    return this.past.has(node.taskId) && node.state !== 'RUNNING' && endOf(node) < this.startedAt;
  }

  private isFromSpace({ id, details = {} }: ExplanationNode): boolean {
    const { sessionId, messageId, contextPath, partOf } = details;
    const isMessage = messageId !== undefined || contextPath !== undefined;
    const isFrom =
      (sessionId === this.options.space && isMessage) ||
      (typeof partOf === 'string' && this.fromSpace.has(partOf));
    if (!isFrom) return false;
    this.fromSpace.add(id);
    if (this.fromSpace.size > MAX_FROM_SPACE)
      for (const oldest of this.fromSpace) {
        this.fromSpace.delete(oldest);
        break;
      }
    return true;
  }

  private liveOf(taskId: string): Live {
    const live = this.tasks.get(taskId) ?? { task: new MewTask(taskId, () => this.options.participant) };
    this.tasks.delete(taskId);
    this.tasks.set(taskId, live);
    if (this.tasks.size > MAX_TASKS && !this.isPast)
      for (const oldest of this.tasks.keys()) {
        this.forget(oldest);
        break;
      }
    return live;
  }

  private forget(taskId: string): void {
    const live = this.tasks.get(taskId);
    live?.over?.cancel();
    this.tasks.delete(taskId);
    this.changed.delete(taskId);
    for (const { id } of live?.task.graph.nodes() ?? []) this.taskOf.delete(id);
  }

  private work(): void {
    if (this.isStopped) return;
    this.working ??= this.sayAll()
      .catch((error: unknown) => {
        const { code } = BoundaryError.from(error);
        this.options.logger.error({ code }, 'a task cannot be said in a space of MEW');
      })
      .finally(() => {
        this.working = undefined;
        if (this.changed.size > 0) this.work();
      });
  }

  private async sayAll(): Promise<void> {
    // What comes in the same turn of the event loop is told together.
    await Promise.resolve();
    for (const taskId of this.changed) {
      this.changed.delete(taskId);
      const live = this.tasks.get(taskId);
      if (live) await this.sayTask(live);
    }
  }

  private async sayTask(live: Live): Promise<void> {
    const { task } = live;
    const { pace, say, reader, clock } = this.options;
    live.over?.cancel();
    let rested = 0;
    for (const moment of await wholeInTurns(
      task.takeMoments(() => pace.isOver),
      pace,
    )) {
      const detail = await detailOf(reader(), moment.node.id);
      if (!detail) continue;
      for (const message of task.tell(moment, detail.texts ?? {})) say(message, task.taskId);
      if (pace.isOver) await pace.rest(rested++);
    }
    if (task.graph.isRunning || this.isStopped) return;
    const patience = task.graph.isAwaited ? TASK_PARENT_WAIT_MS : TASK_QUIET_MS;
    live.over = clock.after(patience, () => {
      for (const message of task.finish()) say(message, task.taskId);
    });
  }
}
