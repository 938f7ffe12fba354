import type { EventFacts, SpanFacts, StepLogFacts } from '../model/facts.ts';
import { eventNodeId, logKey, requestNodeId, spanKey, stepNodeId } from '../model/ids.ts';
import { Multimap } from './multimap.ts';
import {
  isSpan,
  isWrapper,
  type NodeEntry,
  type RequestEntry,
  type SpanEntry,
  type StepEntry,
} from './node-entry.ts';
import { preferSpan } from './prefer-facts.ts';
import { Requests } from './requests.ts';
import type { StateListener } from './state-listener.ts';
import { StepIndexes } from './step-indexes.ts';

/** Plumbing nested deeper than this is no plumbing. */
const MAX_WRAPPER_DEPTH = 64;

/**
 * The sets that correlation works on, and which node each record belongs to. It knows nothing of the graph:
 * whoever changes it is told which nodes have to be made anew and which keys others may refer to have changed.
 */
export class CorrelationState {
  readonly spans = new Map<string, SpanEntry>();
  readonly logs = new Map<string, StepEntry>();
  readonly nodes = new Map<string, NodeEntry>();
  readonly indexes: StepIndexes;
  readonly requests: Requests;
  /** Plumbing by the key of its parent. */
  private readonly wrappers = new Multimap<StepEntry>();
  /** Span ids to the keys that have them: events may name a span without its trace. */
  private readonly keysBySpanId = new Map<string, string | Set<string>>();
  private readonly listener: StateListener;

  constructor(listener: StateListener, inferEdges: boolean) {
    this.listener = listener;
    this.indexes = new StepIndexes({
      listener,
      inferEdges,
      spanOf: (key) => this.spans.get(key),
      isJoined: (step) => (this.nodes.get(step.nodeId)?.steps.length ?? 0) > 1,
    });
    this.requests = new Requests({
      spans: this.spans,
      onMoved: (span) => this.placeGroup(span),
      onChanged: (request) => listener.onTouched(this.requestNode(request)),
    });
  }

  spanById(spanId: string): string | undefined {
    const found = this.keysBySpanId.get(spanId);
    if (found === undefined || typeof found === 'string') return found;
    if (found.size > 1) return undefined;
    for (const key of found) return key;
    return undefined;
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
      span.parentKey = parentKeyOf(preferred);
    });
    // Of a new span its node tells, once it is there.
    if (held) this.indexes.tellOf(span);
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
    const log: StepEntry = { key, facts, parentKey, nodeId: '', memberOf: undefined, group: undefined };
    this.logs.set(key, log);
    this.moveStep(log, ownId(log));
    this.change(log, false, () => {});
    this.touch(log.nodeId);
    return log;
  }

  /** @returns false when the event was known already: the first content of an id counts by its JSON order */
  addEvent(facts: EventFacts): boolean {
    const id = eventNodeId(facts.eventId);
    const entry = this.node(id);
    if (entry.event && JSON.stringify(facts) >= JSON.stringify(entry.event)) return false;
    entry.event = facts;
    this.listener.onTouched(entry);
    return true;
  }

  /** Forgets everything behind a node. The node itself is left for the caller to drop. */
  forget(entry: NodeEntry): void {
    this.nodes.delete(entry.id);
    const { request, steps } = entry;
    // First everything goes, then whoever it concerns looks again: nobody may find half of it.
    const around = new Set(steps.flatMap((step) => this.indexes.groups.around(step)));
    for (const step of steps) this.dropStep(step);
    const targets = request ? this.requests.forgetThought(request) : NO_IDS;
    for (const step of steps) around.delete(step);
    this.regroup([...around]);
    for (const step of steps) {
      this.indexes.tellOf(step);
      this.placeWrappersOf(step);
    }
    this.requests.lookAgain(
      steps.map(({ key }) => key),
      targets,
      request,
    );
  }

  private dropStep(step: StepEntry): void {
    this.unindex(step);
    step.group = undefined;
    if (!isSpan(step)) {
      this.logs.delete(step.key);
      return;
    }
    this.spans.delete(step.key);
    const { spanId } = step.facts;
    const keys = this.keysBySpanId.get(spanId);
    if (keys instanceof Set && keys.size > 1) keys.delete(step.key);
    else this.keysBySpanId.delete(spanId);
    this.requests.forgetSpan(step);
  }

  /** A record comes to say something else: all indexes learn of it, and groups are made anew around it. */
  private change(step: StepEntry, isKnown: boolean, apply: () => void): void {
    const { groups } = this.indexes;
    const before = isKnown ? groups.around(step) : NO_STEPS;
    if (isKnown) this.unindex(step);
    apply();
    this.indexes.add(step);
    if (isWrapper(step) && step.parentKey !== undefined) this.wrappers.add(step.parentKey, step);
    const after = groups.around(step);
    if (before.length + after.length > 0) this.regroup([...before, ...after]);
    this.place(step);
    this.placeWrappersOf(step);
  }

  private unindex(step: StepEntry): void {
    this.indexes.remove(step);
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
    };
    this.spans.set(key, span);
    this.moveStep(span, key);
    const others = this.keysBySpanId.get(facts.spanId);
    if (others === undefined) this.keysBySpanId.set(facts.spanId, key);
    else if (typeof others === 'string') this.keysBySpanId.set(facts.spanId, new Set([others, key]));
    else others.add(key);
    return span;
  }

  private regroup(steps: readonly StepEntry[]): void {
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
    const nodeId = this.homeOf(step);
    if (nodeId === step.nodeId) return;
    this.moveStep(step, nodeId);
    this.indexes.tellOf(step);
    this.placeWrappersOf(step);
  }

  private placeWrappersOf(step: StepEntry): void {
    for (const wrapper of this.wrappers.all(step.key)) this.place(wrapper);
  }

  /**
   * The node of a record: that of the request that it is part of; else, if another record of the same call is part
   * of one, that one's; else the outermost record's of the call. Plumbing goes with what it is part of.
   */
  private homeOf(step: StepEntry): string {
    const carrier = isWrapper(step) ? this.carrierOf(step) : step;
    if (carrier !== step) return carrier.nodeId;
    if (step.memberOf !== undefined) return requestNodeId(step.memberOf);
    if (!step.group) return ownId(step);
    let least: string | undefined;
    for (const { memberOf } of step.group.members)
      if (memberOf !== undefined && (least === undefined || memberOf < least)) least = memberOf;
    return least === undefined ? ownId(step.group.leader) : requestNodeId(least);
  }

  /** The nearest ancestor that is no plumbing, else the last one there is; itself where parents form a circle. */
  private carrierOf(wrapper: StepEntry): StepEntry {
    let at = wrapper;
    for (let depth = 0; depth < MAX_WRAPPER_DEPTH && isWrapper(at); depth++) {
      const parent = at.parentKey === undefined ? undefined : this.spans.get(at.parentKey);
      if (!parent) return at;
      if (parent === wrapper) return wrapper;
      at = parent;
    }
    return isWrapper(at) ? wrapper : at;
  }

  private moveStep(step: StepEntry, nodeId: string): void {
    const from = this.nodes.get(step.nodeId);
    if (from) from.steps = from.steps.filter((other) => other !== step);
    if (from) this.listener.onTouched(from);
    const to = this.node(nodeId);
    to.steps = [...to.steps, step];
    step.nodeId = nodeId;
    this.listener.onTouched(to);
  }

  private touch(nodeId: string): void {
    const entry = this.nodes.get(nodeId);
    if (entry) this.listener.onTouched(entry);
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
      steps: NO_STEPS,
      request: undefined,
      event: undefined,
      refs: [],
      derived: NO_IDS,
      namedAgent: undefined,
      isNameStale: true,
      knownAgent: undefined,
      agent: '',
      taskId: '',
      changedAt: 0,
      abandoned: false,
      bytes: 0,
      inGraph: false,
    };
    this.nodes.set(id, entry);
    return entry;
  }
}

function parentKeyOf({ traceId, parentSpanId }: SpanFacts): string | undefined {
  return parentSpanId === undefined ? undefined : spanKey(traceId, parentSpanId);
}

/** The node of a record that is joined with nothing else. */
function ownId({ key, facts }: StepEntry): string {
  if (facts.kind === 'span' || facts.step.stepId === undefined) return key;
  return stepNodeId(facts.step.stepId);
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
