import { edgeId, eventNodeId, requestNodeId, spanKey } from '../model/ids.ts';
import type { EdgeRelation, Evidence, ExplanationEdge, NodeType } from '../model/node.ts';
import { EVIDENCE } from '../model/node.ts';
import { classifyEvent, eventRefs } from './event-types.ts';
import { SPAN_ID_PREFIX, STEP_ID_PREFIX } from './dependents.ts';
import { toolCallsOf, type ToolCalls } from './tool-calls.ts';
import type { Content } from './content.ts';
import type { Handoffs } from './handoffs.ts';
import type { Siblings } from './siblings.ts';
import { type NodeEntry, type StepEntry, type StepRecord } from './node-entry.ts';

/** How edges find the nodes at their other end. */
export interface NodeLookup {
  /** The node that stands for a span now. */
  nodeOfSpan(key: string): string | undefined;
  /** The one span with this id, whatever its trace; undefined when there is none or more than one. */
  spanById(spanId: string): string | undefined;
  /** A record of the step with this id, whatever told of it. */
  stepById(stepId: string): StepEntry | undefined;
  has(nodeId: string): boolean;
  readonly toolCalls: Pick<ToolCalls, 'asked' | 'ran'>;
  readonly content: Pick<Content, 'sourcesOf' | 'askerOf' | 'failedBefore'>;
  readonly handoffs: Pick<Handoffs, 'handedBy'>;
  readonly siblings: Pick<Siblings, 'before'> | undefined;
}

/** Types of steps that an LLM call can have asked for, so that a shared requestId makes the call their cause. */
const CAUSED_BY_REQUEST: ReadonlySet<NodeType | undefined> = new Set<NodeType>([
  'TOOL_CALL',
  'STATIC_ANALYSIS',
  'TEST_RUN',
  'REFLEXION_ACTION',
  'MODEL_SWITCH',
]);

/** The edges that should lead into a node: a function of its sources and of what exists. */
export function inEdgesOf(entry: NodeEntry, lookup: NodeLookup): readonly ExplanationEdge[] {
  // Most nodes have one edge or none: only the second one takes a map.
  let only: ExplanationEdge | undefined;
  let several: Map<string, ExplanationEdge> | undefined;
  const add: Add = (from, relation, evidence) => {
    if (from === undefined || from === entry.id || !lookup.has(from)) return;
    const id = edgeId(from, relation, entry.id);
    const held = several ? several.get(id) : only?.id === id ? only : undefined;
    if (held && EVIDENCE.indexOf(held.evidence) <= EVIDENCE.indexOf(evidence)) return;
    const edge = { id, from, to: entry.id, relation, evidence };
    if (!several && (!only || held)) only = edge;
    else several = (several ?? new Map(only && [[only.id, only]])).set(id, edge);
  };

  for (const step of entry.steps) addEdgesOfStep(step, lookup, add);
  for (const part of entry.request?.parts.values() ?? []) {
    // The span that was active when the thought was logged; when it is the call itself there is no edge to draw.
    if (part.traceId === undefined || part.spanId === undefined) continue;
    add(lookup.nodeOfSpan(spanKey(part.traceId, part.spanId)), 'NEXT_STEP', 'parentSpanId');
  }
  if (entry.event) {
    const { relation } = classifyEvent(entry.event);
    for (const cause of causesOf(entry, lookup)) add(cause, relation, 'event');
  }
  if (several) return [...several.values()];
  return only ? [only] : NO_EDGES;
}

const NO_EDGES: readonly ExplanationEdge[] = [];

type Add = (from: string | undefined, relation: EdgeRelation, evidence: Evidence) => void;

function addEdgesOfStep(step: StepEntry, lookup: NodeLookup, add: Add): void {
  const { facts, parentKey } = step;
  if (parentKey !== undefined) add(lookup.nodeOfSpan(parentKey), 'NEXT_STEP', 'parentSpanId');
  if (facts.kind === 'span') {
    for (const link of facts.links ?? [])
      add(lookup.nodeOfSpan(spanKey(link.traceId, link.spanId)), 'TRIGGERED', 'link');
    for (const id of dependsOn(facts)) add(nodeNamed(id, facts.traceId, lookup), 'NEXT_STEP', 'link');
  } else {
    for (const { stepId, relation, evidence } of facts.causes ?? [])
      add(lookup.stepById(stepId)?.nodeId, relation, evidence);
  }
  const { ran, read } = toolCallsOf(facts);
  for (const call of ran)
    for (const key of lookup.toolCalls.asked(call)) add(lookup.nodeOfSpan(key), 'TRIGGERED', 'toolCallId');
  for (const call of read) {
    let isRun = false;
    for (const key of lookup.toolCalls.ran(call)) {
      isRun = true;
      add(lookup.nodeOfSpan(key), 'TRIGGERED', 'toolCallId');
    }
    // No record tells of the tool itself: the call that asked leads to the one that read the result.
    if (!isRun)
      for (const key of lookup.toolCalls.asked(call)) add(lookup.nodeOfSpan(key), 'TRIGGERED', 'toolCallId');
  }
  for (const source of lookup.content.sourcesOf(step)) add(source.nodeId, relationOf(source), 'content');
  add(lookup.content.askerOf(step)?.nodeId, 'TRIGGERED', 'content');
  add(lookup.content.failedBefore(step)?.nodeId, 'TRIGGERED', 'content');
  for (const call of lookup.handoffs.handedBy(step)) add(call.nodeId, 'TRIGGERED', 'content');
  add(lookup.siblings?.before(step)?.nodeId, 'NEXT_STEP', 'inferred');
  const { requestId, type } = facts.step;
  if (requestId !== undefined && CAUSED_BY_REQUEST.has(type))
    add(requestNodeId(requestId), 'TRIGGERED', 'requestId');
}

/** The model's own answer goes on in the same conversation; a tool's result is read. */
function relationOf(source: StepEntry): EdgeRelation {
  return source.facts.step.type === 'LLM_CALL' ? 'NEXT_STEP' : 'TRIGGERED';
}

/**
 * The LLM calls that the one of this node continues, by identity: the ones that asked for the tools whose results
 * it reads, whose answer it reads, or that failed with the same input.
 */
export function callsBefore(entry: NodeEntry, lookup: NodeLookup): string[] {
  const found = new Set<string>();
  for (const step of entry.steps) {
    const { type, heardHashes, details } = step.facts.step;
    if (type !== 'LLM_CALL' || (heardHashes === undefined && details['answeredToolCallIds'] === undefined))
      continue;
    for (const call of toolCallsOf(step.facts).read)
      for (const key of lookup.toolCalls.asked(call)) found.add(lookup.nodeOfSpan(key) ?? '');
    for (const source of lookup.content.sourcesOf(step))
      if (source.facts.step.type === 'LLM_CALL') found.add(source.nodeId);
    const failed = lookup.content.failedBefore(step);
    if (failed) found.add(failed.nodeId);
  }
  if (found.size === 0) return NO_CALLS;
  found.delete(entry.id);
  return [...found].filter((id) => lookup.has(id));
}

const NO_CALLS: string[] = [];

/** The nodes that an event refers to; what its payload names goes before the trace context of its log record. */
export function causesOf(entry: NodeEntry, lookup: NodeLookup): string[] {
  if (!entry.event) return [];
  const { traceId, spanId, nodeId, requestId } = eventRefs(entry.event);
  const named: (string | undefined)[] = [];
  if (requestId !== undefined) named.push(requestNodeId(requestId));
  if (spanId !== undefined) named.push(spanNode(traceId, spanId, lookup));
  if (nodeId !== undefined) named.push(nodeNamed(nodeId, undefined, lookup));
  if (named.length === 0 && entry.event.spanId !== undefined) {
    named.push(spanNode(entry.event.traceId, entry.event.spanId, lookup));
  }
  return named.filter((id) => id !== undefined);
}

/** What a step says that it waited for. */
function dependsOn(facts: StepRecord): readonly string[] {
  const ids = facts.step.details['dependsOn'];
  return Array.isArray(ids) ? (ids as readonly string[]) : [];
}

/** The node that an id of some kind names: a node's own, a request's, an event's, a span's in a trace or in any. */
function nodeNamed(id: string, traceId: string | undefined, lookup: NodeLookup): string | undefined {
  const exact = [id, requestNodeId(id), eventNodeId(id), lookup.nodeOfSpan(id)];
  return (
    exact.find((nodeId) => nodeId !== undefined && lookup.has(nodeId)) ??
    (traceId === undefined ? undefined : spanNode(traceId, id, lookup)) ??
    spanNode(undefined, id, lookup)
  );
}

/** The keys under which such a node may appear, or change. */
function refsOfName(id: string, traceId?: string): string[] {
  const keys = [id, requestNodeId(id), eventNodeId(id), SPAN_ID_PREFIX + id];
  return traceId === undefined ? keys : [...keys, spanKey(traceId, id)];
}

function spanNode(traceId: string | undefined, spanId: string, lookup: NodeLookup): string | undefined {
  const key = traceId === undefined ? lookup.spanById(spanId) : spanKey(traceId, spanId);
  return key === undefined ? undefined : lookup.nodeOfSpan(key);
}

/**
 * The keys whose change means a new look at the node: span keys, node ids, span ids (with a prefix) of spans
 * whose trace is not known, trace ids for the task of the trace.
 */
export function refsOf(entry: NodeEntry): string[] {
  const refs: string[] = [];
  for (const step of entry.steps) addRefsOfStep(step, refs);
  for (const part of entry.request?.parts.values() ?? []) addRefsOfSpan(part.traceId, part.spanId, refs);
  if (entry.event) {
    const { traceId, spanId, nodeId, requestId } = eventRefs(entry.event);
    addRefsOfSpan(traceId, spanId, refs);
    addRefsOfSpan(entry.event.traceId, entry.event.spanId, refs);
    if (requestId !== undefined) refs.push(requestNodeId(requestId));
    if (nodeId !== undefined) refs.push(...refsOfName(nodeId));
  }
  return othersOnce(refs, entry.id);
}

function addRefsOfStep({ facts, parentKey }: StepEntry, refs: string[]): void {
  if (facts.traceId !== undefined) refs.push(facts.traceId);
  if (parentKey !== undefined) refs.push(parentKey);
  const { ran, read } = toolCallsOf(facts);
  for (const call of ran) refs.push(call);
  for (const call of read) refs.push(call);
  if (facts.kind === 'span') {
    if (facts.links) for (const link of facts.links) refs.push(spanKey(link.traceId, link.spanId));
    for (const id of dependsOn(facts)) refs.push(...refsOfName(id, facts.traceId));
  } else for (const { stepId } of facts.causes ?? []) refs.push(STEP_ID_PREFIX + stepId);
  if (facts.step.requestId !== undefined) refs.push(requestNodeId(facts.step.requestId));
}

function addRefsOfSpan(traceId: string | undefined, spanId: string | undefined, refs: string[]): void {
  if (traceId !== undefined) refs.push(traceId);
  if (spanId !== undefined)
    refs.push(traceId === undefined ? SPAN_ID_PREFIX + spanId : spanKey(traceId, spanId));
}

/** Each key once, without the node's own. */
function othersOnce(keys: string[], own: string): string[] {
  // A trace and a parent, as nearly every span has them, need no set to be told apart. They are kept: a list that
  // was pushed to has room for sixteen more, a copy has not.
  const isPlain = keys.length <= 2 && !keys.includes(own) && (keys.length < 2 || keys[0] !== keys[1]);
  if (isPlain) return keys.slice();
  const once = new Set(keys);
  once.delete(own);
  return [...once];
}
