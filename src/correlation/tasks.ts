import { FirstOf } from '../base/first-of.ts';
import type { EventFacts, TaskHint } from '../model/facts.ts';
import { isTraceId } from '../model/ids.ts';
import { orderedParts, type NodeEntry, type StepEntry, type StepRecord } from './node-entry.ts';
import { eventRefs } from '../model/event-refs.ts';
import type { TrackedMultimap } from './tracker.ts';

/** What the records of one trace name of one rank. */
interface Named {
  /** How many records name each id. */
  readonly ids: Map<string, number>;
  readonly steps: FirstOf<StepEntry>;
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
  /** By trace, for each rank. */
  private readonly named: readonly [Map<string, Named>, Map<string, Named>] = [new Map(), new Map()];
  /** How many roots of a trace link to each other one. */
  private readonly links = new Map<string, Map<string, number>>();
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
      const hint = this.namedBy(at);
      if (hint) return { id: hint.id, rank: hint.rank };
      const before = this.linkedFrom(at);
      if (before === undefined) return at === traceId ? undefined : { id: at, rank: 1 };
      at = before;
    }
    return undefined;
  }

  change(step: StepEntry, verb: 'add' | 'delete'): void {
    const { traceId } = step.facts;
    if (traceId === undefined) return;
    const [named, linked] = [this.namedBy(traceId), this.linkedFrom(traceId)];
    this.changeLink(step.facts, verb);
    this.changeNamed(traceId, step, verb);
    const now = this.namedBy(traceId);
    if (now?.id !== named?.id || now?.rank !== named?.rank || this.linkedFrom(traceId) !== linked)
      this.keys.changed(traceId);
  }

  private namedBy(traceId: string): TaskHint | undefined {
    for (const ofRank of this.named) {
      const named = ofRank.get(traceId);
      if (named && named.ids.size <= MAX_IDS) return named.steps.first?.facts.step.task;
    }
    return undefined;
  }

  /** The only other trace that the roots of this one link to. */
  private linkedFrom(traceId: string): string | undefined {
    const linked = this.links.get(traceId);
    if (linked?.size !== 1) return undefined;
    for (const other of linked.keys()) return other;
    return undefined;
  }

  private changeLink(facts: StepRecord, verb: 'add' | 'delete'): void {
    if (facts.kind !== 'span' || facts.parentSpanId !== undefined || facts.links?.length !== 1) return;
    const [link] = facts.links;
    const { traceId } = facts;
    if (link === undefined || link.traceId === traceId) return;
    const linked = this.links.get(traceId) ?? new Map<string, number>();
    count(linked, link.traceId, verb);
    if (linked.size > 0) this.links.set(traceId, linked);
    else this.links.delete(traceId);
  }

  private changeNamed(traceId: string, step: StepEntry, verb: 'add' | 'delete'): void {
    const { task } = step.facts.step;
    if (!task) return;
    const ofRank = this.named[task.rank];
    const named = ofRank.get(traceId) ?? { ids: new Map(), steps: new FirstOf(goesFirst) };
    named.steps[verb](step);
    count(named.ids, task.id, verb);
    if (named.ids.size > 0) ofRank.set(traceId, named);
    else ofRank.delete(traceId);
  }
}

function count(counts: Map<string, number>, id: string, verb: 'add' | 'delete'): void {
  const now = (counts.get(id) ?? 0) + (verb === 'add' ? 1 : -1);
  if (now > 0) counts.set(id, now);
  else counts.delete(id);
}

/** Of two that name a task of the same rank. */
function goesFirst(a: StepEntry, b: StepEntry): boolean {
  if (isRoot(a) !== isRoot(b)) return isRoot(a);
  if (a.facts.start !== b.facts.start) return a.facts.start < b.facts.start;
  return a.key < b.key;
}

function isRoot({ facts }: StepEntry): boolean {
  return facts.kind === 'span' && facts.parentSpanId === undefined;
}

/** Where neither a record nor its trace names a task, and there is no trace. */
const NO_TASK = 'unassigned';

/**
 * The task of a node: the one that its own records name by `taskID`; else that of its trace; where it has none, what its own records name; else the trace id. A task id that
 * a thought names goes before a session. A thought without a trace is a task of its own; an event goes where its payload
 * says (the id of a trace: to that trace's task), else with its cause.
 */
export function taskOf(
  entry: NodeEntry,
  steps: readonly StepEntry[],
  traces: TraceTasks,
  taskOfCause: () => string | undefined,
): string {
  const traceId = traceOf(entry, steps);
  const ofTrace = taskOfTraces(traceId, steps, traces);
  if (entry.event)
    return taskNamedBy(entry.event, traces) ?? ofTrace?.id ?? taskOfCause() ?? traceId ?? NO_TASK;
  const hint = ownHint(steps, ({ own }) => own === true) ?? ofTrace ?? ownHint(steps);
  if (hint?.rank === 0) return hint.id;
  const named = orderedParts(entry.request).find((part) => part.taskId !== undefined)?.taskId;
  return named ?? hint?.id ?? traceId ?? entry.request?.requestId ?? NO_TASK;
}

/** A trace that names no task yet is a task by its id: who spoke of that means what it turns out to be. */
function taskNamedBy(event: EventFacts, traces: TraceTasks): string | undefined {
  const { taskId } = eventRefs(event);
  const ofTrace = isTraceId(taskId) ? traces.taskOf(taskId) : undefined;
  return ofTrace?.id ?? taskId;
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
