import type { TaskHint } from '../model/facts.ts';
import { orderedParts, type NodeEntry, type StepEntry, type StepRecord } from './node-entry.ts';
import { eventRefs } from './event-types.ts';

interface RankedHint extends TaskHint {
  readonly start: number;
  readonly key: string;
}

interface TraceHints {
  readonly byKey: Map<string, RankedHint>;
  best: RankedHint;
}

/** The best task hint of each trace: a task or session id on any span holds for the whole trace. */
export class TraceTasks {
  private readonly traces = new Map<string, TraceHints>();

  taskOf(traceId: string): TaskHint | undefined {
    const hint = this.traces.get(traceId)?.best;
    return hint && { id: hint.id, rank: hint.rank };
  }

  /** Takes note of what a record says now; true when the task of its trace is now another. */
  learn(key: string, traceId: string, facts: StepRecord): boolean {
    const { task } = facts.step;
    if (!task) return this.forget(key, traceId);
    const hint: RankedHint = { ...task, start: facts.start, key };
    const trace = this.traces.get(traceId);
    if (!trace) {
      this.traces.set(traceId, { byKey: new Map([[key, hint]]), best: hint });
      return true;
    }
    trace.byKey.set(key, hint);
    return chooseBest(trace, hint);
  }

  /** A record is gone, or names no task any more. */
  forget(key: string, traceId: string): boolean {
    const trace = this.traces.get(traceId);
    if (!trace?.byKey.delete(key)) return false;
    if (trace.byKey.size > 0) return chooseBest(trace);
    this.traces.delete(traceId);
    return true;
  }
}

/** @param added the only hint that is new, if none was taken away: then there is nothing else to compare */
function chooseBest(trace: TraceHints, added?: RankedHint): boolean {
  const before = trace.best;
  if (added && added.key !== before.key) {
    if (isBetter(added, before)) trace.best = added;
  } else {
    let best: RankedHint | undefined;
    for (const hint of trace.byKey.values()) if (!best || isBetter(hint, best)) best = hint;
    trace.best = best ?? before;
  }
  return trace.best.id !== before.id || trace.best.rank !== before.rank;
}

function isBetter(a: RankedHint, b: RankedHint): boolean {
  if (a.rank !== b.rank) return a.rank < b.rank;
  if (a.start !== b.start) return a.start < b.start;
  return a.key < b.key;
}

/** Where neither a record nor its trace names a task, and there is no trace. */
const NO_TASK = 'unassigned';

/**
 * The task of a node: the task id that its own records name, else its trace's, else the same for session
 * ids, else the trace id. A thought without a trace is a task of its own; an event goes with its cause.
 */
export function taskOf(
  entry: NodeEntry,
  steps: readonly StepEntry[],
  traces: TraceTasks,
  taskOfCause: () => string | undefined,
): string {
  const traceId = traceOf(entry, steps);
  const own = ownHint(entry, steps);
  const ofTrace = traceId === undefined ? undefined : traces.taskOf(traceId);
  const hint = own && ofTrace ? (own.rank <= ofTrace.rank ? own : ofTrace) : (own ?? ofTrace);
  if (hint) return hint.id;
  if (entry.event) return taskOfCause() ?? traceId ?? NO_TASK;
  return traceId ?? entry.request?.requestId ?? NO_TASK;
}

function ownHint(entry: NodeEntry, steps: readonly StepEntry[]): TaskHint | undefined {
  if (entry.event) {
    const id = eventRefs(entry.event).taskId;
    return id === undefined ? undefined : { id, rank: 0 };
  }
  let best: TaskHint | undefined;
  for (const { facts } of steps) {
    const { task } = facts.step;
    if (task && (!best || task.rank < best.rank)) best = task;
  }
  if (best?.rank === 0) return best;
  const named = orderedParts(entry.request).find((part) => part.taskId !== undefined)?.taskId;
  return named === undefined ? best : { id: named, rank: 0 };
}

function traceOf(entry: NodeEntry, steps: readonly StepEntry[]): string | undefined {
  for (const { facts } of steps) if (facts.traceId !== undefined) return facts.traceId;
  if (entry.event) return eventRefs(entry.event).traceId ?? entry.event.traceId;
  return orderedParts(entry.request).find((part) => part.traceId !== undefined)?.traceId;
}
