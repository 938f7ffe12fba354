import type { Clock } from '../base/clock.ts';
import { isSpanId, isTraceId, spanKey } from '../model/ids.ts';
import type { ExplanationNode } from '../model/node.ts';
import { TASK_PARENT_WAIT_MS, TASK_QUIET_MS } from '../model/task-over.ts';

export interface ForwardQueueOptions {
  readonly clock: Clock;
  /** Of a task in memory. */
  readonly nodesOf: (taskId: string) => Iterable<ExplanationNode>;
  /** There was no room for a task with so many nodes. */
  readonly onDropped: (nodes: number) => void;
}

/** Names of tasks that wait, so that a receiver may be away for hours; some 100 bytes each. */
export const MAX_WAITING_TASKS = 10_000;
/** Tasks that changed, until they have ended and were taken. The one that changed longest ago comes first. */
export class ForwardQueue {
  private readonly options: ForwardQueueOptions;
  /** When each changed last, by Clock.monotonic(); the longest ago first. */
  private readonly waiting = new Map<string, number>();
  /** The same of those that have been looked at, and in which a step is waited for. */
  private readonly awaited = new Map<string, number>();
  private isHurried = false;

  constructor(options: ForwardQueueOptions) {
    this.options = options;
  }

  get isEmpty(): boolean {
    return this.waiting.size + this.awaited.size === 0;
  }

  /** A task changed. */
  add(taskId: string): void {
    this.awaited.delete(taskId);
    this.waiting.delete(taskId);
    this.waiting.set(taskId, this.options.clock.monotonic());
    if (this.waiting.size + this.awaited.size <= MAX_WAITING_TASKS) return;
    const oldest = firstOf(this.awaited) ?? firstOf(this.waiting);
    if (!oldest) return;
    this.awaited.delete(oldest.taskId);
    this.waiting.delete(oldest.taskId);
    this.options.onDropped([...this.options.nodesOf(oldest.taskId)].length);
  }

  /** How long until there may be something to take. */
  get nextInMs(): number {
    const dues = [
      (firstOf(this.waiting)?.changedAt ?? Infinity) + TASK_QUIET_MS,
      (firstOf(this.awaited)?.changedAt ?? Infinity) + TASK_PARENT_WAIT_MS,
    ];
    return Math.max(0, Math.min(...dues) - this.options.clock.monotonic());
  }

  /**
   * The next task that has ended and nothing is waited for in. One that runs is forgotten: it is added again when a
   * step of it ends, or is abandoned.
   */
  take(): string | undefined {
    const now = this.options.clock.monotonic();
    for (const [taskId, changedAt] of this.waiting) {
      if (!this.isHurried && now - changedAt < TASK_QUIET_MS) break;
      this.waiting.delete(taskId);
      const nodes = [...this.options.nodesOf(taskId)];
      if (nodes.some(({ state }) => state === 'RUNNING')) continue;
      if (this.isHurried || !isAwaited(nodes)) return taskId;
      this.awaited.set(taskId, changedAt);
    }
    const oldest = firstOf(this.awaited);
    if (!oldest || (!this.isHurried && now - oldest.changedAt < TASK_PARENT_WAIT_MS)) return undefined;
    this.awaited.delete(oldest.taskId);
    return oldest.taskId;
  }

  /** From now on nothing more is waited for. */
  hurry(): void {
    this.isHurried = true;
  }

  takeAll(): readonly string[] {
    const all = [...this.waiting.keys(), ...this.awaited.keys()];
    this.waiting.clear();
    this.awaited.clear();
    return all;
  }
}

function firstOf(
  tasks: ReadonlyMap<string, number>,
): { readonly taskId: string; readonly changedAt: number } | undefined {
  for (const [taskId, changedAt] of tasks) return { taskId, changedAt };
  return undefined;
}

/** Does a step name one around it that has not come? */
function isAwaited(nodes: readonly ExplanationNode[]): boolean {
  const there = new Set<string>();
  for (const { details = {} } of nodes) {
    const { traceId, spanId, spanIds } = details;
    if (!isTraceId(traceId)) continue;
    for (const id of Array.isArray(spanIds) ? spanIds : [spanId]) there.add(spanKey(traceId, String(id)));
  }
  return nodes.some(({ details = {} }) => {
    const { traceId, parentSpanId } = details;
    return isTraceId(traceId) && isSpanId(parentSpanId) && !there.has(spanKey(traceId, parentSpanId));
  });
}
