import type { EventFacts, SpanFacts } from '../model/facts.ts';
import { eventNodeId, requestNodeId, spanKey } from '../model/ids.ts';
import type { CotText } from '../model/facts.ts';
import type { NodeEntry, RequestEntry, SpanEntry } from './node-entry.ts';
import { SPAN_ID_PREFIX } from './dependents.ts';
import { preferCot, preferSpan } from './prefer-facts.ts';
import { membersOf } from './request-members.ts';
import { TraceTasks } from './tasks.ts';
import { TimeMatch } from './time-match.ts';
import { ToolCalls, toolCallsOf } from './tool-calls.ts';

/**
 * The sets that correlation works on, and which node each record belongs to. It knows nothing of the graph:
 * whoever changes it is told which nodes have to be made anew (`onTouched`) and which keys others may refer
 * to have changed (`onKeyChanged`).
 */
export class CorrelationState {
  readonly spans = new Map<string, SpanEntry>();
  readonly requests = new Map<string, RequestEntry>();
  readonly nodes = new Map<string, NodeEntry>();
  readonly traceTasks = new TraceTasks();
  readonly toolCalls = new ToolCalls();
  private readonly timeMatch = new TimeMatch();
  /** From the first thought on: without thoughts there is no need to know which calls ran when. */
  private matchesByTime = false;
  /** Span ids to the keys that have them: events may name a span without its trace. */
  private readonly keysBySpanId = new Map<string, string | Set<string>>();
  /** Span keys to the requests whose chain of thought points at them. */
  private readonly pointedAt = new Map<string, Set<string>>();
  private readonly onTouched: (entry: NodeEntry) => void;
  private readonly onKeyChanged: (key: string) => void;
  private readonly hasSpanIdKeys: () => boolean;

  /** @param hasSpanIdKeys says whether anybody refers to spans by span id alone */
  constructor(
    onTouched: (entry: NodeEntry) => void,
    onKeyChanged: (key: string) => void,
    hasSpanIdKeys: () => boolean,
  ) {
    this.onTouched = onTouched;
    this.onKeyChanged = onKeyChanged;
    this.hasSpanIdKeys = hasSpanIdKeys;
  }

  /** Tells all who refer to a span, by whatever key, that its node is another, or that it changed. */
  tellOf(span: SpanEntry): void {
    this.onKeyChanged(span.key);
    const { asked, ran } = toolCallsOf(span.facts);
    for (const call of asked) this.onKeyChanged(call);
    for (const call of ran) this.onKeyChanged(call);
    if (this.hasSpanIdKeys()) this.onKeyChanged(SPAN_ID_PREFIX + span.facts.spanId);
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
    if (held && preferred === held.facts) return undefined;
    const oldRequest = held?.facts.step.requestId;
    if (held) for (const call of this.toolCalls.remove(key, held.facts)) this.onKeyChanged(call);
    this.toolCalls.add(key, preferred);
    const span = held ?? this.newSpan(key, facts);
    span.facts = preferred;
    span.parentKey = parentKeyOf(preferred);
    // Of a new span its node tells, once it is there.
    if (held) this.tellOf(span);
    if (this.traceTasks.learn(key, preferred)) this.onKeyChanged(facts.traceId);
    const node = this.nodes.get(span.nodeId);
    if (node) this.onTouched(node);
    const request = facts.step.requestId;
    if (oldRequest !== undefined && oldRequest !== request) {
      const other = this.requests.get(oldRequest);
      other?.namedBy.delete(key);
      if (other) this.matchThought(other);
      this.refreshRequest(oldRequest);
    }
    if (request !== undefined) {
      const entry = this.request(request);
      entry.namedBy.add(key);
      this.matchThought(entry);
    }
    if (this.pointedAt.size > 0) {
      for (const pointing of this.pointedAt.get(key) ?? []) this.refreshRequest(pointing);
    }
    this.matchCall(key);
    return span;
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
    this.onTouched(this.requestNode(request));
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
    this.onTouched(entry);
    return true;
  }

  /** Forgets everything behind a node. The node itself is left for the caller to drop. */
  forget(entry: NodeEntry): void {
    this.nodes.delete(entry.id);
    const { request, spans } = entry;
    const targets = request
      ? [...request.parts.values()].map(targetOf).filter((key) => key !== undefined)
      : [];
    // First everything goes, then whoever it concerns looks again: nobody may find half of it.
    for (const span of spans) this.dropSpan(span);
    if (request) this.dropThought(request, targets);
    for (const span of spans) {
      this.matchCall(span.key);
      this.tellOf(span);
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

  private dropSpan(span: SpanEntry): void {
    this.spans.delete(span.key);
    this.toolCalls.remove(span.key, span.facts);
    const { traceId, spanId, step } = span.facts;
    if (this.traceTasks.forget(span.key, traceId)) this.onKeyChanged(traceId);
    const keys = this.keysBySpanId.get(spanId);
    if (keys instanceof Set && keys.size > 1) keys.delete(span.key);
    else this.keysBySpanId.delete(spanId);
    if (step.requestId === undefined) return;
    const request = this.requests.get(step.requestId);
    request?.namedBy.delete(span.key);
    if (request && request.namedBy.size === 0 && request.parts.size === 0)
      this.requests.delete(step.requestId);
  }

  private newSpan(key: string, facts: SpanFacts): SpanEntry {
    const span: SpanEntry = { key, facts, parentKey: undefined, nodeId: key };
    this.spans.set(key, span);
    const entry = this.node(key);
    entry.spans = [...entry.spans, span];
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
    const nodeId = requestNodeId(requestId);
    for (const key of before) {
      // It may have gone to another request already.
      if (!members.has(key) && this.spans.get(key)?.nodeId === nodeId) this.moveSpan(key, key);
    }
    for (const key of members) this.moveSpan(key, nodeId);
    if (members.size > 0 || request.parts.size > 0) this.onTouched(this.requestNode(request));
  }

  private moveSpan(key: string, nodeId: string): void {
    const span = this.spans.get(key);
    if (!span || span.nodeId === nodeId) return;
    const from = this.nodes.get(span.nodeId);
    if (from) from.spans = from.spans.filter((other) => other !== span);
    if (from) this.onTouched(from);
    const to = this.node(nodeId);
    to.spans = [...to.spans, span];
    span.nodeId = nodeId;
    this.onTouched(to);
    this.tellOf(span);
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
      spans: NO_SPANS,
      request: undefined,
      event: undefined,
      refs: [],
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

const NO_SPANS: readonly SpanEntry[] = [];

/** A node without sources goes. */
export function hasSources(entry: NodeEntry): boolean {
  return entry.spans.length > 0 || entry.event !== undefined || (entry.request?.parts.size ?? 0) > 0;
}
