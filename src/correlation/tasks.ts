import type { TaskHint } from '../model/facts.ts';
import { orderedParts, type NodeEntry, type StepEntry, type StepRecord } from './node-entry.ts';
import { eventRefs } from '../model/event-refs.ts';
import type { TrackedMultimap } from './tracker.ts';

interface RankedHint extends TaskHint {
  readonly isRoot: boolean;
  readonly start: number;
  readonly key: string;
}

interface TraceHints {
  readonly byKey: Map<string, RankedHint>;
  /** How many records name each id, for each rank. */
  readonly named: readonly [Map<string, number>, Map<string, number>];
  best: RankedHint | undefined;
}

/**
 * A trace that names more ids of a rank is used for all that its sender does: none of them says what the others are. Each
 * new one could otherwise change the task of the whole trace.
 */
const MAX_IDS = 64;
/** A run of more traces that go on from one another is none. */
const MAX_TRACES = 64;

/**
 * The task of each trace. A trace is one task: of the task and session ids that its spans name the root's goes first, then
 * the earliest. A trace that names none, and whose root links to one other trace, goes on with that one's task.
 */
export class TraceTasks {
  private readonly traces = new Map<string, TraceHints>();

  /** What the roots of a trace link to, by their keys. */
  private readonly links = new Map<string, Map<string, string>>();
  private readonly keys: TrackedMultimap<StepEntry>;

  /** @param keys of the traces */
  constructor(keys: TrackedMultimap<StepEntry>) {
    this.keys = keys;
  }

  taskOf(traceId: string): TaskHint | undefined {
    const passed = new Set<string>();
    for (let at = traceId; passed.size < MAX_TRACES && !passed.has(at);) {
      passed.add(at);
      this.keys.read(at);
      const hint = this.traces.get(at)?.best;
      if (hint) return { id: hint.id, rank: hint.rank };
      const before = this.linkedFrom(at);
      if (before === undefined) return at === traceId ? undefined : { id: at, rank: 1 };
      at = before;
    }
    return undefined;
  }

  /** The only other trace that the roots of this one link to. */
  private linkedFrom(traceId: string): string | undefined {
    const linked = new Set(this.links.get(traceId)?.values());
    if (linked.size !== 1) return undefined;
    for (const other of linked) return other;
    return undefined;
  }

  private changeLink(key: string, facts: StepRecord, verb: 'add' | 'delete'): void {
    if (facts.kind !== 'span' || facts.parentSpanId !== undefined || facts.links?.length !== 1) return;
    const [link] = facts.links;
    const { traceId } = facts;
    if (link === undefined || link.traceId === traceId) return;
    const ofTrace = this.links.get(traceId) ?? new Map<string, string>();
    if (verb === 'add') ofTrace.set(key, link.traceId);
    else ofTrace.delete(key);
    if (ofTrace.size > 0) this.links.set(traceId, ofTrace);
    else this.links.delete(traceId);
    this.keys.changed(traceId);
  }

  change({ key, facts }: StepEntry, verb: 'add' | 'delete'): void {
    const { traceId } = facts;
    this.changeLink(key, facts, verb);
    if (traceId === undefined || !facts.step.task) return;
    const isOther =
      verb === 'add' ? this.learn(key, traceId, facts, facts.step.task) : this.forget(key, traceId);
    if (isOther) this.keys.changed(traceId);
  }

  /** True when the task of its trace is now another. */
  private learn(key: string, traceId: string, facts: StepRecord, task: TaskHint): boolean {
    const isRoot = facts.kind === 'span' && facts.parentSpanId === undefined;
    const hint: RankedHint = { ...task, isRoot, start: facts.start, key };
    let trace = this.traces.get(traceId);
    if (!trace) {
      trace = { byKey: new Map(), named: [new Map(), new Map()], best: undefined };
      this.traces.set(traceId, trace);
    }
    const { byKey, named, best } = trace;
    const before = byKey.get(key);
    if (before) count(named[before.rank], before.id, -1);
    byKey.set(key, hint);
    count(named[hint.rank], hint.id, 1);
    const isCounted = named[hint.rank].size <= MAX_IDS;
    if (before || (!isCounted && best?.rank === hint.rank)) trace.best = bestOf(trace);
    else if (isCounted && (!best || isBetter(hint, best))) trace.best = hint;
    return !isSame(trace.best, best);
  }

  private forget(key: string, traceId: string): boolean {
    const trace = this.traces.get(traceId);
    const gone = trace?.byKey.get(key);
    if (!trace || !gone) return false;
    const { byKey, named, best } = trace;
    byKey.delete(key);
    count(named[gone.rank], gone.id, -1);
    if (byKey.size === 0) {
      this.traces.delete(traceId);
      return best !== undefined;
    }
    if (gone === best || named[gone.rank].size === MAX_IDS) trace.best = bestOf(trace);
    return !isSame(trace.best, best);
  }
}

function count(named: Map<string, number>, id: string, change: 1 | -1): void {
  const records = (named.get(id) ?? 0) + change;
  if (records > 0) named.set(id, records);
  else named.delete(id);
}

function bestOf({ byKey, named }: TraceHints): RankedHint | undefined {
  let best: RankedHint | undefined;
  if (named.every(({ size }) => size === 0 || size > MAX_IDS)) return best;
  for (const hint of byKey.values())
    if (named[hint.rank].size <= MAX_IDS && (!best || isBetter(hint, best))) best = hint;
  return best;
}

function isSame(a: RankedHint | undefined, b: RankedHint | undefined): boolean {
  return a?.id === b?.id && a?.rank === b?.rank;
}

function isBetter(a: RankedHint, b: RankedHint): boolean {
  if (a.rank !== b.rank) return a.rank < b.rank;
  if (a.isRoot !== b.isRoot) return a.isRoot;
  if (a.start !== b.start) return a.start < b.start;
  return a.key < b.key;
}

/** Where neither a record nor its trace names a task, and there is no trace. */
const NO_TASK = 'unassigned';

/**
 * The task of a node: the one that its own records name by `taskID`; else that of its trace; where it has none, what its own records name; else the trace id. A task id that
 * a thought names goes before a session. A thought without a trace is a task of its own; an event goes where its payload
 * says, else with its cause.
 */
export function taskOf(
  entry: NodeEntry,
  steps: readonly StepEntry[],
  traces: TraceTasks,
  taskOfCause: () => string | undefined,
): string {
  const traceId = traceOf(entry, steps);
  const ofTrace = taskOfTraces(traceId, steps, traces);
  if (entry.event) return eventRefs(entry.event).taskId ?? ofTrace?.id ?? taskOfCause() ?? traceId ?? NO_TASK;
  const hint = ownHint(steps, ({ own }) => own === true) ?? ofTrace ?? ownHint(steps);
  if (hint?.rank === 0) return hint.id;
  const named = orderedParts(entry.request).find((part) => part.taskId !== undefined)?.taskId;
  return named ?? hint?.id ?? traceId ?? entry.request?.requestId ?? NO_TASK;
}

/** Records of one call may stand in several traces; the outermost one's goes first. */
function taskOfTraces(
  traceId: string | undefined,
  steps: readonly StepEntry[],
  traces: TraceTasks,
): TaskHint | undefined {
  let best = traceId === undefined ? undefined : traces.taskOf(traceId);
  if (steps.length < 2) return best;
  for (const { facts } of steps) {
    if (facts.traceId === undefined || facts.traceId === traceId) continue;
    const other = traces.taskOf(facts.traceId);
    if (other && (!best || other.rank < best.rank)) best = other;
  }
  return best;
}

function ownHint(
  steps: readonly StepEntry[],
  counts: (hint: TaskHint) => boolean = () => true,
): TaskHint | undefined {
  let best: TaskHint | undefined;
  for (const { facts } of steps) {
    const { task } = facts.step;
    if (task && counts(task) && (!best || task.rank < best.rank)) best = task;
  }
  return best;
}

function traceOf(entry: NodeEntry, steps: readonly StepEntry[]): string | undefined {
  for (const { facts } of steps) if (facts.traceId !== undefined) return facts.traceId;
  if (entry.event) return eventRefs(entry.event).traceId ?? entry.event.traceId;
  return orderedParts(entry.request).find((part) => part.traceId !== undefined)?.traceId;
}
