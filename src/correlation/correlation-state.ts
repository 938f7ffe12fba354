import type { CotText, EventFacts, SpanFacts, StepLogFacts } from '../model/facts.ts';
import { eventNodeId, logKey, requestNodeId, spanKey, stepNodeId } from '../model/ids.ts';
import { Below } from './below.ts';
import { Content } from './content.ts';
import { SPAN_ID_PREFIX, STEP_ID_PREFIX } from './dependents.ts';
import { Handoffs } from './handoffs.ts';
import { Multimap } from './multimap.ts';
import {
  isSpan,
  isWrapper,
  type NodeEntry,
  type RequestEntry,
  type SpanEntry,
  type StepEntry,
} from './node-entry.ts';
import { preferCot, preferSpan } from './prefer-facts.ts';
import { membersOf } from './request-members.ts';
import { Siblings } from './siblings.ts';
import { StepGroups } from './step-groups.ts';
import { TraceTasks } from './tasks.ts';
import { TimeMatch } from './time-match.ts';
import { ToolCalls, toolCallsOf } from './tool-calls.ts';
import { TraceAgents } from './trace-agents.ts';
import { TraceQueries } from './trace-queries.ts';

/** Who is told what the state has found out. */
export interface StateListener {
  /** The sources of a node changed: it has to be made anew. */
  readonly onTouched: (entry: NodeEntry) => void;
  /** Something that others may refer to by this key changed. */
  readonly onKeyChanged: (key: string) => void;
  /** The edges into a node, or what is derived from it, may be others. */
  readonly onRevisit: (nodeId: string) => void;
  /** What is below a node is another, and with it what the node shows. */
  readonly onBelowChanged: (nodeId: string) => void;
  /** Does anybody refer to spans by span id alone, or to steps by step id? */
  readonly hasKeys: () => { readonly spanIds: boolean; readonly stepIds: boolean };
}

/** Plumbing nested deeper than this is no plumbing. */
const MAX_WRAPPER_DEPTH = 64;

/**
 * The sets that correlation works on, and which node each record belongs to. It knows nothing of the graph:
 * whoever changes it is told which nodes have to be made anew and which keys others may refer to have changed.
 */
export class CorrelationState {
  readonly spans = new Map<string, SpanEntry>();
  readonly logs = new Map<string, StepEntry>();
  readonly requests = new Map<string, RequestEntry>();
  readonly nodes = new Map<string, NodeEntry>();
  readonly traceTasks = new TraceTasks();
  readonly toolCalls = new ToolCalls();
  readonly below: Below;
  readonly content = new Content();
  readonly queries = new TraceQueries();
  readonly handoffs = new Handoffs();
  readonly traceAgents = new TraceAgents();
  /** Only where edges by time alone are asked for. */
  readonly siblings: Siblings | undefined;
  private readonly groups: StepGroups;
  /** Plumbing by the key of its parent. */
  private readonly wrappers = new Multimap<StepEntry>();
  private readonly timeMatch = new TimeMatch();
  /** From the first thought on: without thoughts there is no need to know which calls ran when. */
  private matchesByTime = false;
  /** Span ids to the keys that have them: events may name a span without its trace. */
  private readonly keysBySpanId = new Map<string, string | Set<string>>();
  /** Span keys to the requests whose chain of thought points at them. */
  private readonly pointedAt = new Map<string, Set<string>>();
  private readonly listener: StateListener;

  constructor(listener: StateListener, inferEdges: boolean) {
    this.listener = listener;
    this.siblings = inferEdges ? new Siblings() : undefined;
    this.groups = new StepGroups((key) => this.spans.get(key));
    this.below = new Below(
      (key) => this.spans.get(key),
      (key) => this.groups.callsBelowOf(key),
      (step) => (this.nodes.get(step.nodeId)?.steps.length ?? 0) > 1,
      (step) => listener.onBelowChanged(step.nodeId),
    );
  }

  /** Tells all who refer to a record, by whatever key, that its node is another, or that it changed. */
  tellOf(step: StepEntry): void {
    const { onKeyChanged, onRevisit, hasKeys } = this.listener;
    onKeyChanged(step.key);
    const { asked, ran } = toolCallsOf(step.facts);
    for (const call of asked) onKeyChanged(call);
    for (const call of ran) onKeyChanged(call);
    for (const hearer of this.content.hearersOf(step)) onRevisit(hearer.nodeId);
    for (const run of this.handoffs.runsAfter(step)) onRevisit(run.nodeId);
    if (this.siblings) for (const other of this.siblings.of(step)) onRevisit(other.nodeId);
    const { spanIds, stepIds } = hasKeys();
    if (spanIds && isSpan(step)) onKeyChanged(SPAN_ID_PREFIX + step.facts.spanId);
    const { stepId } = step.facts.step;
    if (stepIds && stepId !== undefined) onKeyChanged(STEP_ID_PREFIX + stepId);
  }

  spanById(spanId: string): string | undefined {
    const found = this.keysBySpanId.get(spanId);
    if (found === undefined || typeof found === 'string') return found;
    if (found.size > 1) return undefined;
    for (const key of found) return key;
    return undefined;
  }

  /** A record of the step with this id. */
  stepById(stepId: string): StepEntry | undefined {
    return this.groups.stepById(stepId);
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
    if (held) this.tellOf(span);
    this.touch(span.nodeId);
    this.nameRequest(span, oldRequest, preferred.step.requestId);
    if (this.pointedAt.size > 0) {
      for (const pointing of this.pointedAt.get(key) ?? []) this.refreshRequest(pointing);
    }
    this.matchCall(key);
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

  /** @returns false when it says nothing new */
  addCot(cot: CotText): boolean {
    const request = this.request(cot.requestId);
    const held = request.parts.get(cot.part);
    const preferred = held ? preferCot(held, cot) : cot;
    if (preferred === held) return false;
    request.parts.set(cot.part, cot);
    const pointing = new Set([cot.requestId]);
    if (held) this.stopPointing(request, held, pointing);
    const key = targetOf(cot);
    if (key !== undefined) {
      const others = this.pointedAt.get(key) ?? new Set<string>();
      this.pointedAt.set(key, others.add(cot.requestId));
      for (const other of others) pointing.add(other);
    }
    for (const requestId of pointing) this.refreshRequest(requestId);
    for (const part of [held, cot]) {
      const target = part && targetOf(part);
      if (target !== undefined) this.matchCall(target);
    }
    this.matchThought(request);
    this.listener.onTouched(this.requestNode(request));
    return true;
  }

  /** A span may now be, or no longer be, the call of a thought that names no span. */
  private matchCall(key: string): void {
    if (!this.matchesByTime) return;
    const isFree = !this.pointedAt.has(key);
    for (const id of this.timeMatch.setCall(key, isFree ? this.spans.get(key)?.facts : undefined)) {
      this.refreshRequest(id);
    }
  }

  private matchThought(request: RequestEntry): void {
    if (!this.matchesByTime && request.parts.size > 0) {
      this.matchesByTime = true;
      for (const key of this.spans.keys()) this.matchCall(key);
    }
    for (const id of this.timeMatch.setThought(request)) this.refreshRequest(id);
  }

  /** A part now says something else: unless another part still points there, the span is free for the others. */
  private stopPointing(request: RequestEntry, before: CotText, pointing: Set<string>): void {
    const key = targetOf(before);
    if (key === undefined || [...request.parts.values()].some((part) => targetOf(part) === key)) return;
    const others = this.pointedAt.get(key);
    others?.delete(request.requestId);
    for (const other of others ?? []) pointing.add(other);
    if (others?.size === 0) this.pointedAt.delete(key);
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
    const targets = request
      ? [...request.parts.values()].map(targetOf).filter((key) => key !== undefined)
      : [];
    // First everything goes, then whoever it concerns looks again: nobody may find half of it.
    const around = new Set(steps.flatMap((step) => this.groups.around(step)));
    for (const step of steps) this.dropStep(step);
    if (request) this.dropThought(request, targets);
    for (const step of steps) around.delete(step);
    this.regroup([...around]);
    for (const step of steps) {
      this.matchCall(step.key);
      this.tellOf(step);
      for (const wrapper of this.wrappers.all(step.key)) this.place(wrapper);
    }
    for (const target of targets) {
      for (const other of this.pointedAt.get(target) ?? []) this.refreshRequest(other);
      this.matchCall(target);
    }
    if (request) this.matchThought(request);
  }

  private dropThought(request: RequestEntry, targets: readonly string[]): void {
    for (const target of targets) {
      const others = this.pointedAt.get(target);
      if (others?.delete(request.requestId) && others.size === 0) this.pointedAt.delete(target);
    }
    request.parts.clear();
    request.members = new Set();
    // Spans that name the request but have nodes of their own may still need it.
    if (request.namedBy.size === 0) this.requests.delete(request.requestId);
  }

  private dropStep(step: StepEntry): void {
    this.unindex(step);
    step.group = undefined;
    if (!isSpan(step)) {
      this.logs.delete(step.key);
      return;
    }
    this.spans.delete(step.key);
    const { spanId, step: said } = step.facts;
    const keys = this.keysBySpanId.get(spanId);
    if (keys instanceof Set && keys.size > 1) keys.delete(step.key);
    else this.keysBySpanId.delete(spanId);
    if (said.requestId === undefined) return;
    const request = this.requests.get(said.requestId);
    request?.namedBy.delete(step.key);
    if (request && request.namedBy.size === 0 && request.parts.size === 0)
      this.requests.delete(said.requestId);
  }

  /** A record comes to say something else: all indexes learn of it, and groups are made anew around it. */
  private change(step: StepEntry, isKnown: boolean, apply: () => void): void {
    const before = isKnown ? this.groups.around(step) : [];
    if (isKnown) this.unindex(step);
    apply();
    this.index(step);
    const after = this.groups.around(step);
    if (before.length + after.length > 0) this.regroup([...before, ...after]);
    this.place(step);
    if (this.wrappers.has(step.key)) for (const wrapper of this.wrappers.all(step.key)) this.place(wrapper);
  }

  private index(step: StepEntry): void {
    const { facts, key, parentKey } = step;
    this.toolCalls.add(key, facts);
    this.groups.add(step);
    this.below.add(step);
    this.content.add(step);
    if (isWrapper(step) && parentKey !== undefined) this.wrappers.add(parentKey, step);
    if (isSpan(step)) for (const root of this.queries.add(step)) this.listener.onRevisit(root.nodeId);
    if (this.traceAgents.add(step) && facts.traceId !== undefined) this.listener.onKeyChanged(facts.traceId);
    for (const other of this.handoffs.add(step)) this.listener.onRevisit(other.nodeId);
    if (this.siblings) for (const other of this.siblings.add(step)) this.listener.onRevisit(other.nodeId);
    const { traceId } = facts;
    if (traceId !== undefined && this.traceTasks.learn(key, traceId, facts))
      this.listener.onKeyChanged(traceId);
  }

  private unindex(step: StepEntry): void {
    const { facts, key, parentKey } = step;
    for (const call of this.toolCalls.remove(key, facts)) this.listener.onKeyChanged(call);
    this.groups.remove(step);
    this.below.remove(step);
    for (const hearer of this.content.hearersOf(step)) this.listener.onRevisit(hearer.nodeId);
    this.content.remove(step);
    if (parentKey !== undefined) this.wrappers.delete(parentKey, step);
    if (isSpan(step)) for (const root of this.queries.remove(step)) this.listener.onRevisit(root.nodeId);
    if (this.traceAgents.remove(step) && facts.traceId !== undefined)
      this.listener.onKeyChanged(facts.traceId);
    for (const other of this.handoffs.remove(step)) this.listener.onRevisit(other.nodeId);
    if (this.siblings) for (const other of this.siblings.remove(step)) this.listener.onRevisit(other.nodeId);
    const { traceId } = facts;
    if (traceId !== undefined && this.traceTasks.forget(key, traceId)) this.listener.onKeyChanged(traceId);
  }

  private nameRequest(span: SpanEntry, before: string | undefined, now: string | undefined): void {
    if (before !== undefined && before !== now) {
      const other = this.requests.get(before);
      other?.namedBy.delete(span.key);
      if (other) this.matchThought(other);
      this.refreshRequest(before);
    }
    if (now === undefined) return;
    const entry = this.request(now);
    entry.namedBy.add(span.key);
    this.matchThought(entry);
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

  private request(requestId: string): RequestEntry {
    const held = this.requests.get(requestId);
    if (held) return held;
    const request: RequestEntry = {
      requestId,
      namedBy: new Set(),
      members: new Set(),
      byTime: false,
      parts: new Map(),
    };
    this.requests.set(requestId, request);
    return request;
  }

  /** Works out anew which spans are folded into the request's node, and moves those that changed. */
  private refreshRequest(requestId: string): void {
    const request = this.requests.get(requestId);
    if (!request) return;
    const named = membersOf(request, this.spans, this.pointedAt);
    const call = named.size === 0 ? this.timeMatch.callOf(requestId) : undefined;
    const members = call === undefined ? named : new Set([call]);
    request.byTime = call !== undefined;
    const before = request.members;
    request.members = members;
    for (const key of before) {
      const span = this.spans.get(key);
      // It may have gone to another request already.
      if (!span || members.has(key) || span.memberOf !== requestId) continue;
      span.memberOf = undefined;
      this.placeGroup(span);
    }
    for (const key of members) {
      const span = this.spans.get(key);
      if (!span || span.memberOf === requestId) continue;
      span.memberOf = requestId;
      this.placeGroup(span);
    }
    if (members.size > 0 || request.parts.size > 0) this.listener.onTouched(this.requestNode(request));
  }

  private regroup(steps: readonly StepEntry[]): void {
    for (const changed of this.groups.regroup(steps)) {
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
    this.tellOf(step);
    if (this.wrappers.has(step.key)) for (const wrapper of this.wrappers.all(step.key)) this.place(wrapper);
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

/** The span that a chain of thought points at. */
function targetOf({ traceId, spanId }: CotText): string | undefined {
  return traceId === undefined || spanId === undefined ? undefined : spanKey(traceId, spanId);
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
