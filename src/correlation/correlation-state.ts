import type { EventFacts, Facts, SpanFacts, StepLogFacts } from '../model/facts.ts';
import { eventNodeId, logKey, requestNodeId, spanKey } from '../model/ids.ts';
import { NEVER_OVER, type IsOver } from '../base/in-turns.ts';
import { Multimap } from '../base/multimap.ts';
import { homeOf, MAX_WRAPPER_DEPTH, ownId } from './home-of.ts';
import {
  isRetold,
  isSpan,
  isWrapper,
  orderedSteps,
  type NodeEntry,
  type RequestEntry,
  type SpanEntry,
  type StepEntry,
} from './node-entry.ts';
import { preferCot, preferEvent, preferSpan } from './prefer-facts.ts';
import { Requests } from './requests.ts';
import { aboutNode, SaidOfNodes } from './said-of-nodes.ts';
import { StepIndexes } from './step-indexes.ts';
import { TaskRoots } from './task-roots.ts';
import { TrackedMultimap, type Tracker } from './tracker.ts';
import type { Unsettled } from './unsettled.ts';

export interface StateOptions {
  readonly tracker: Tracker;
  /** Told of the nodes that have to be made anew. */
  readonly unsettled: Pick<Unsettled, 'touch' | 'showsOther'>;
  /** Are edges by time alone asked for? */
  readonly inferEdges: boolean;
}

/** A message between agents that begins a trace of its own is part of what sent it, by the only span that it links to. */
function linkedKey({ step, links }: SpanFacts): string | undefined {
  const link = step.wrapper === true && links?.length === 1 ? links[0] : undefined;
  return link && spanKey(link.traceId, link.spanId);
}

/**
 * The sets that correlation works on, and which node each record belongs to. It knows nothing of the graph:
 * it tells which nodes have to be made anew.
 */
export class CorrelationState {
  readonly spans = new Map<string, SpanEntry>();
  readonly logs = new Map<string, StepEntry>();
  readonly nodes = new Map<string, NodeEntry>();
  readonly indexes: StepIndexes;
  readonly requests: Requests;
  readonly roots: TaskRoots;
  /** What is known of it while it, or the node that it is about, is in memory. */
  readonly said = new SaidOfNodes();
  /** Plumbing by the key of its parent. */
  private readonly wrappers = new Multimap<StepEntry>();
  /** By span id: events may name a span without its trace. */
  private readonly bySpanId = new Multimap<SpanEntry>();
  /** Records whose groups may be others: found once for all that changes together, since each looks at all of its call. */
  private readonly toRegroup = new Set<StepEntry>();
  private readonly options: StateOptions;
  /** Of records and nodes that somebody looks for and that are not there. */
  private readonly absent: TrackedMultimap<StepEntry>;
  private readonly spanIds: TrackedMultimap<StepEntry>;

  constructor(options: StateOptions) {
    this.options = options;
    const { tracker, unsettled, inferEdges } = options;
    this.roots = new TaskRoots(tracker);
    this.absent = new TrackedMultimap(tracker);
    this.spanIds = new TrackedMultimap(tracker);
    this.indexes = new StepIndexes({
      tracker,
      inferEdges,
      spanOf: (key) => {
        const span = this.spans.get(key);
        return span && isRetold(span) ? undefined : span;
      },
      isJoined: (step) => (this.nodes.get(step.nodeId)?.steps.length ?? 0) > 1,
      onBelowChanged: (step) => {
        const entry = tracker.isSilent ? undefined : this.nodes.get(step.nodeId);
        if (entry) unsettled.showsOther(entry);
      },
    });
    this.requests = new Requests({
      spans: this.spans,
      onMoved: (span) => this.placeGroup(span),
      onChanged: (request) => unsettled.touch(this.requestNode(request)),
    });
  }

  entry(nodeId: string): NodeEntry | undefined {
    const entry = this.nodes.get(nodeId);
    if (entry) this.options.tracker.read(entry);
    else this.absent.read(nodeId);
    return entry;
  }

  /** The node that stands for a record now. */
  entryOf(step: StepEntry | undefined): NodeEntry | undefined {
    if (!step) return undefined;
    this.options.tracker.read(step);
    return this.nodes.get(step.nodeId);
  }

  /** The same of a record by its key. */
  entryOfRecord(key: string): NodeEntry | undefined {
    const step = this.spans.get(key) ?? this.logs.get(key);
    if (step) return this.entryOf(step);
    this.absent.read(key);
    return undefined;
  }

  /** The node above the outermost record of a node. */
  parentOf(entry: NodeEntry): NodeEntry | undefined {
    const [first] = orderedSteps(entry);
    return first?.parentKey === undefined ? undefined : this.entryOfRecord(first.parentKey);
  }

  /** What a node passes on is another, or whether it is shown. */
  tellDependents(entry: NodeEntry): void {
    this.options.tracker.changed(entry);
    for (const step of entry.steps) this.options.tracker.changed(step);
  }

  /** Forgets a node that has no sources any more. */
  dropNode(entry: NodeEntry): void {
    this.nodes.delete(entry.id);
    this.roots.remove(entry);
    this.options.tracker.changed(entry);
  }

  /** The key of the span with this id; undefined where several traces have one. */
  spanById(spanId: string): string | undefined {
    this.spanIds.read(spanId);
    const [span] = this.bySpanId.few(spanId, 1);
    return span?.key;
  }

  /** What a record says until now that takes this to say. */
  replacedBy(facts: Facts): Facts | undefined {
    switch (facts.kind) {
      case 'span':
        return unless(facts, this.spans.get(spanKey(facts.traceId, facts.spanId))?.facts, preferSpan);
      case 'cot':
        return unless(facts, this.requests.partOf(facts), preferCot);
      case 'event':
        return unless(facts, this.nodes.get(eventNodeId(facts.eventId))?.event, preferEvent);
      case 'log':
      case 'metric':
      case 'override':
        return undefined;
    }
  }

  /** @returns the span; undefined when the record was known already */
  addSpan(facts: SpanFacts): SpanEntry | undefined {
    const key = spanKey(facts.traceId, facts.spanId);
    const held = this.spans.get(key);
    const preferred = held ? preferSpan(held.facts, facts) : facts;
    if (held && preferred === held.facts) {
      // What says nothing new of an open span still says that it runs.
      if (held.facts.end === undefined) this.touch(held.nodeId);
      return undefined;
    }
    const oldRequest = held?.facts.step.requestId;
    const span = held ?? this.newSpan(key, facts);
    this.change(span, held !== undefined, () => {
      span.facts = preferred;
      span.parentKey = this.parentKeyOf(preferred);
    });
    this.touch(span.nodeId);
    this.requests.spanChanged(span, oldRequest);
    return span;
  }

  /** @returns the record; undefined when it was known already */
  addLog(facts: StepLogFacts): StepEntry | undefined {
    const key = logKey(facts.logId);
    if (this.logs.has(key)) return undefined;
    const { traceId, spanId } = facts;
    const parentKey = traceId === undefined || spanId === undefined ? undefined : spanKey(traceId, spanId);
    const log: StepEntry = {
      key,
      facts,
      parentKey,
      nodeId: '',
      memberOf: undefined,
      group: undefined,
      dependents: undefined,
    };
    this.logs.set(key, log);
    this.absent.changed(key);
    this.moveStep(log, ownId(log));
    this.change(log, false, () => {});
    this.touch(log.nodeId);
    return log;
  }

  /** @returns false when the event was known already: the first content of an id counts by its JSON order */
  addEvent(facts: EventFacts): boolean {
    const id = eventNodeId(facts.eventId);
    const entry = this.node(id);
    if (entry.event && preferEvent(entry.event, facts) === entry.event) return false;
    if (entry.event) this.showsOther(this.said.delete(entry.event));
    entry.event = facts;
    this.options.unsettled.touch(entry);
    this.showsOther(this.said.add(facts));
    return true;
  }

  private showsOther(nodeId: string | undefined): void {
    const entry = nodeId === undefined ? undefined : this.nodes.get(nodeId);
    if (entry) this.options.unsettled.showsOther(entry);
  }

  /** What was said is known as long as it, or what it is about, is there: what stays shows it whatever becomes of it. */
  private leaveSaid({ id, event }: NodeEntry): void {
    for (const facts of this.said.of(id))
      if (!this.nodes.has(eventNodeId(facts.eventId))) this.said.delete(facts);
    if (event && !this.nodes.has(aboutNode(event) ?? '')) this.said.delete(event);
  }

  /**
   * Everything behind a node leaves memory and is kept elsewhere: what stays shows what it showed, and is looked at anew when
   * something comes for it. The node itself is left for the caller to drop.
   */
  leave(entry: NodeEntry): void {
    const { tracker } = this.options;
    tracker.silently(() => {
      this.nodes.delete(entry.id);
      this.leaveSaid(entry);
      this.roots.remove(entry);
      this.absent.takeOver(entry.id, entry);
      for (const step of entry.steps) {
        this.dropStep(step);
        this.absent.takeOver(step.key, step);
      }
      const targets = entry.request ? this.requests.forgetThought(entry.request) : NO_IDS;
      this.requests.leave(entry.steps, targets, entry.request);
    });
  }

  /** Everything behind a node is gone for good, and whoever it concerns looks again. The node is left for the caller to drop. */
  forget(entry: NodeEntry): void {
    this.dropNode(entry);
    this.leaveSaid(entry);
    if (entry.event) this.showsOther(this.said.delete(entry.event));
    const { request, steps } = entry;
    // First everything goes, then whoever it concerns looks again: nobody may find half of it.
    const around = new Set(steps.flatMap((step) => groupedAround(this.indexes.groups, step)));
    for (const step of steps) this.dropStep(step);
    const targets = request ? this.requests.forgetThought(request) : NO_IDS;
    for (const step of steps) around.delete(step);
    this.regroup(around);
    for (const step of steps) this.placeWrappersOf(step, MAX_WRAPPER_DEPTH);
    this.requests.lookAgain(
      steps.map(({ key }) => key),
      targets,
      request,
    );
    this.settle(NEVER_OVER);
  }

  /**
   * Puts records into the nodes where they belong, as everything says that came since the last time.
   * @param isLate asked between short steps whether to leave the rest for the next call
   * @returns whether nothing is left
   */
  settle(isLate: IsOver): boolean {
    if (this.toRegroup.size > 0) {
      this.regroup(this.toRegroup);
      this.toRegroup.clear();
    }
    return this.requests.settle(isLate);
  }

  private dropStep(step: StepEntry): void {
    this.unindex(step);
    this.options.tracker.changed(step);
    this.indexes.groups.leave(step);
    if (!isSpan(step)) {
      this.logs.delete(step.key);
      return;
    }
    this.spans.delete(step.key);
    const { spanId } = step.facts;
    this.bySpanId.delete(spanId, step);
    this.spanIds.changed(spanId);
    this.requests.forgetSpan(step);
  }

  /** A record comes to say something else: all indexes learn of it, and groups are made anew around it. */
  private change(step: StepEntry, isKnown: boolean, apply: () => void): void {
    const { groups } = this.indexes;
    const before = isKnown ? groupedAround(groups, step) : NO_STEPS;
    const [above, wasWrapper] = [step.parentKey, isWrapper(step)];
    if (isKnown) this.unindex(step);
    apply();
    this.indexes.change(step, 'add');
    if (isWrapper(step) && step.parentKey !== undefined) this.wrappers.add(step.parentKey, step);
    const after = groupedAround(groups, step);
    for (const other of before) this.toRegroup.add(other);
    for (const other of after) this.toRegroup.add(other);
    this.place(step);
    // Where it is as before, what is below it goes with it alone: a step that is told often may have much plumbing.
    if (!isKnown || step.parentKey !== above || isWrapper(step) !== wasWrapper)
      this.placeWrappersOf(step, MAX_WRAPPER_DEPTH);
  }

  /** The very string that the parent has, where it is there: each of the steps below it would hold one of its own. */
  private parentKeyOf(facts: SpanFacts): string | undefined {
    const { traceId, parentSpanId } = facts;
    const key = parentSpanId === undefined ? linkedKey(facts) : spanKey(traceId, parentSpanId);
    if (key === undefined) return undefined;
    return this.spans.get(key)?.key ?? key;
  }

  private unindex(step: StepEntry): void {
    this.indexes.change(step, 'delete');
    if (step.parentKey !== undefined) this.wrappers.delete(step.parentKey, step);
  }

  private newSpan(key: string, facts: SpanFacts): SpanEntry {
    const span: SpanEntry = {
      key,
      facts,
      parentKey: undefined,
      nodeId: '',
      memberOf: undefined,
      group: undefined,
      dependents: undefined,
    };
    this.spans.set(key, span);
    this.absent.changed(key);
    this.spanIds.changed(facts.spanId);
    this.moveStep(span, key);
    this.bySpanId.add(facts.spanId, span);
    return span;
  }

  private regroup(steps: Iterable<StepEntry>): void {
    for (const changed of this.indexes.groups.regroup(steps)) {
      this.place(changed);
      this.touch(changed.nodeId);
    }
  }

  private placeGroup(step: StepEntry): void {
    for (const member of step.group?.members ?? [step]) this.place(member);
  }

  /** Puts a record, and the plumbing below it, into the node where it belongs now. */
  private place(step: StepEntry): void {
    const nodeId = homeOf(step, this.spans);
    if (nodeId === step.nodeId) return;
    this.moveStep(step, nodeId);
    this.placeWrappersOf(step, 1);
  }

  /** @param depth so far down, even below plumbing that stays: a circle may close or open further up */
  private placeWrappersOf(step: StepEntry, depth: number): void {
    for (const wrapper of this.wrappers.all(step.key)) {
      this.place(wrapper);
      if (depth > 1) this.placeWrappersOf(wrapper, depth - 1);
    }
  }

  private moveStep(step: StepEntry, nodeId: string): void {
    const from = this.nodes.get(step.nodeId);
    if (from) from.steps = from.steps.filter((other) => other !== step);
    if (from) this.options.unsettled.touch(from);
    this.options.tracker.changed(step);
    const to = this.node(nodeId);
    if (to.steps.length === 0) to.steps = [step];
    else to.steps.push(step);
    step.nodeId = nodeId;
    this.options.unsettled.touch(to);
  }

  /** What is behind a node is looked at anew. */
  touch(nodeId: string): void {
    const entry = this.nodes.get(nodeId);
    if (entry) this.options.unsettled.touch(entry);
  }

  private requestNode(request: RequestEntry): NodeEntry {
    const entry = this.node(requestNodeId(request.requestId));
    entry.request = request;
    return entry;
  }

  private node(id: string): NodeEntry {
    const held = this.nodes.get(id);
    if (held) return held;
    const entry: NodeEntry = {
      id,
      steps: [],
      ordered: undefined,
      request: undefined,
      event: undefined,
      rootOf: undefined,
      dependents: undefined,
      reads: [],
      derived: NO_IDS,
      knownAgent: undefined,
      agentHops: 0,
      agent: '',
      taskId: '',
      changedAt: 0,
      abandoned: false,
      bytes: 0,
      inGraph: false,
    };
    this.nodes.set(id, entry);
    this.absent.changed(id);
    return entry;
  }
}

/** What is held, where it does not go before what arrives. */
function unless<T>(arrived: T, held: T | undefined, prefer: (held: T, arrived: T) => T): T | undefined {
  return held !== undefined && prefer(held, arrived) !== held ? held : undefined;
}

/** What is retold is one call by itself. */
function groupedAround(groups: StepIndexes['groups'], step: StepEntry): readonly StepEntry[] {
  return isRetold(step) ? NO_STEPS : groups.around(step);
}

const NO_STEPS: readonly StepEntry[] = [];
const NO_IDS: readonly string[] = [];

/** A node without sources goes. */
export function hasSources(entry: NodeEntry): boolean {
  return entry.steps.length > 0 || entry.event !== undefined || (entry.request?.parts.size ?? 0) > 0;
}

/** A log record that only adds to a step, whose step has not come, shows nothing by itself. */
export function isShown(entry: NodeEntry): boolean {
  if (entry.event !== undefined || (entry.request?.parts.size ?? 0) > 0) return true;
  return entry.steps.some((step) => isSpan(step) || step.facts.step.type !== undefined);
}
