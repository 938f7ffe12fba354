import { edgeId, eventNodeId, requestNodeId, spanKey } from '../model/ids.ts';
import type { EdgeRelation, Evidence, ExplanationEdge, NodeType } from '../model/node.ts';
import { EVIDENCE } from '../model/node.ts';
import { resolutionOf } from '../model/in-time.ts';
import { eventRefs } from '../model/event-refs.ts';
import { classifyEvent } from './event-types.ts';
import type { CorrelationState } from './correlation-state.ts';
import { idOfCall, toolCallsOf } from './tool-calls.ts';
import { countingSteps, type NodeEntry, type StepEntry, type StepRecord } from './node-entry.ts';

/** Nothing leads to a step that had ended before it began, as exactly as the clock of that step tells. */
function isPossible(cause: StepEntry, { facts: { start, end } }: StepEntry): boolean {
  return end === undefined || cause.facts.start < end + resolutionOf(start);
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
export function inEdgesOf(entry: NodeEntry, state: CorrelationState): readonly ExplanationEdge[] {
  // Most nodes have one edge or none: only the second one takes a map.
  let only: ExplanationEdge | undefined;
  let several: Map<string, ExplanationEdge> | undefined;
  const add: Add = (from, relation, evidence) => {
    if (!from?.inGraph || from === entry) return;
    const id = edgeId(from.id, relation, entry.id);
    const held = several ? several.get(id) : only?.id === id ? only : undefined;
    if (held && EVIDENCE.indexOf(held.evidence) <= EVIDENCE.indexOf(evidence)) return;
    const edge = { id, from: from.id, to: entry.id, relation, evidence };
    if (!several && (!only || held)) only = edge;
    else several = (several ?? new Map(only && [[only.id, only]])).set(id, edge);
  };

  const isLedFrom = ({ id }: NodeEntry): boolean =>
    several ? [...several.values()].some(({ from }) => from === id) : only?.from === id;

  for (const step of countingSteps(entry)) addEdgesOfStep(step, state, add);
  for (const part of entry.request?.parts.values() ?? []) {
    // The span that was active when the thought was logged; when it is the call itself there is no edge to draw.
    if (part.traceId === undefined || part.spanId === undefined) continue;
    add(state.entryOfRecord(spanKey(part.traceId, part.spanId)), 'NEXT_STEP', 'parentSpanId');
  }
  if (entry.event) {
    const { relation } = classifyEvent(entry.event);
    for (const cause of causesOf(entry, state)) add(cause, relation, 'event');
  }
  const root = state.roots.before(entry);
  // What leads there by itself needs nobody to say so.
  if (root && !isLedFrom(root)) add(root, 'OTHER', 'inferred');
  if (several) return [...several.values()];
  return only ? [only] : NO_EDGES;
}

const NO_EDGES: readonly ExplanationEdge[] = [];

type Add = (from: NodeEntry | undefined, relation: EdgeRelation, evidence: Evidence) => void;

function addEdgesOfStep(step: StepEntry, state: CorrelationState, add: Add): void {
  const { facts, parentKey } = step;
  if (parentKey !== undefined) add(state.entryOfRecord(parentKey), 'NEXT_STEP', 'parentSpanId');
  if (facts.kind === 'span') {
    for (const { traceId, spanId, relation = 'TRIGGERED', evidence = 'link' } of facts.links ?? [])
      add(state.entryOfRecord(spanKey(traceId, spanId)), relation, evidence);
    if (facts.step.retold !== undefined) return;
    for (const id of dependsOn(facts)) add(nodeNamed(id, facts.traceId, state), 'NEXT_STEP', 'dependsOn');
  } else {
    for (const { stepId, relation, evidence } of facts.causes ?? [])
      add(state.entryOf(state.indexes.groups.stepById(stepId, facts.traceId)), relation, evidence);
  }
  const { ran, read } = toolCallsOf(facts);
  const { toolCalls, content } = state.indexes;
  const lead = (cause: StepEntry, evidence: Evidence): void => {
    if (isPossible(cause, step)) add(state.entryOf(cause), 'TRIGGERED', evidence);
  };
  let isAsked = false;
  for (const call of ran)
    for (const asker of toolCalls.asked(call)) {
      isAsked = true;
      lead(asker, 'toolCallId');
    }
  for (const call of read) {
    if (toolCalls.wasReadBefore(call, step)) continue;
    let isRun = false;
    for (const runner of toolCalls.ran(call)) {
      isRun = true;
      lead(runner, 'toolCallId');
    }
    if (isRun) continue;
    for (const asker of toolCalls.asked(call)) {
      const runs = content.runsOf(asker, idOfCall(call));
      for (const run of runs) lead(run, 'content');
      // No record tells of the tool itself: the call that asked leads to the one that read the result.
      if (runs.length === 0) lead(asker, 'toolCallId');
    }
  }
  // A tool that is known by its id leads to who reads that: by equal text it led to whoever reads results of others.
  const isByOtherId = ({ facts: source }: StepEntry): boolean =>
    read.length > 0 && toolCallsOf(source).ran.some((id) => toolCalls.asked(id).length > 0);
  for (const source of state.indexes.content.sourcesOf(step))
    if (!isByOtherId(source)) add(state.entryOf(source), relationOf(source), 'content');
  if (!isAsked) add(state.entryOf(state.indexes.content.askerOf(step)), 'TRIGGERED', 'content');
  add(state.entryOf(state.indexes.content.failedBefore(step)), 'TRIGGERED', 'content');
  for (const call of state.indexes.handoffs.handedBy(step)) add(state.entryOf(call), 'TRIGGERED', 'content');
  add(state.entryOf(state.indexes.siblings?.before(step)), 'NEXT_STEP', 'inferred');
  const { requestId, type } = facts.step;
  if (requestId !== undefined && CAUSED_BY_REQUEST.has(type))
    add(state.entry(requestNodeId(requestId)), 'TRIGGERED', 'requestId');
}

/** The model's own answer goes on in the same conversation; a tool's result is read. */
function relationOf(source: StepEntry): EdgeRelation {
  return source.facts.step.type === 'LLM_CALL' ? 'NEXT_STEP' : 'TRIGGERED';
}

/**
 * The LLM calls that the one of this node continues, by identity: the ones that asked for the tools whose results
 * it reads, whose answer it reads, or that failed with the same input.
 */
export function callsBefore(entry: NodeEntry, state: CorrelationState): readonly NodeEntry[] {
  const found = new Set<NodeEntry | undefined>();
  for (const step of entry.steps) {
    const { type, heardHashes, details } = step.facts.step;
    if (type !== 'LLM_CALL' || (heardHashes === undefined && details['answeredToolCallIds'] === undefined))
      continue;
    for (const call of toolCallsOf(step.facts).read)
      for (const asker of state.indexes.toolCalls.asked(call)) found.add(state.entryOf(asker));
    for (const source of state.indexes.content.sourcesOf(step))
      if (source.facts.step.type === 'LLM_CALL') found.add(state.entryOf(source));
    const failed = state.indexes.content.failedBefore(step);
    if (failed) found.add(state.entryOf(failed));
  }
  if (found.size === 0) return NO_CALLS;
  return [...found].filter((call) => call !== undefined).filter((call) => call !== entry && call.inGraph);
}

const NO_CALLS: readonly NodeEntry[] = [];

/** The nodes that an event refers to; what its payload names goes before the trace context of its log record. */
export function causesOf(entry: NodeEntry, state: CorrelationState): readonly NodeEntry[] {
  if (!entry.event) return [];
  const { traceId, spanId, nodeId, requestId } = eventRefs(entry.event);
  const named: (NodeEntry | undefined)[] = [];
  if (requestId !== undefined) named.push(state.entry(requestNodeId(requestId)));
  if (spanId !== undefined) named.push(spanNode(traceId, spanId, state));
  if (nodeId !== undefined) named.push(nodeNamed(nodeId, undefined, state));
  if (named.length === 0 && entry.event.spanId !== undefined) {
    named.push(spanNode(entry.event.traceId, entry.event.spanId, state));
  }
  return named.filter((cause) => cause !== undefined);
}

/** What a step says that it waited for. */
function dependsOn(facts: StepRecord): readonly string[] {
  const ids = facts.step.details['dependsOn'];
  return Array.isArray(ids) ? (ids as readonly string[]) : [];
}

/** The node that an id of some kind names: a node's own, a request's, an event's, a span's in a trace or in any. */
function nodeNamed(id: string, traceId: string | undefined, state: CorrelationState): NodeEntry | undefined {
  const exact = [id, requestNodeId(id), eventNodeId(id)].map((nodeId) => state.entry(nodeId));
  return (
    [...exact, state.entryOfRecord(id)].find((node) => node?.inGraph === true) ??
    (traceId === undefined ? undefined : spanNode(traceId, id, state)) ??
    spanNode(undefined, id, state)
  );
}

function spanNode(
  traceId: string | undefined,
  spanId: string,
  state: CorrelationState,
): NodeEntry | undefined {
  const key = traceId === undefined ? state.spanById(spanId) : spanKey(traceId, spanId);
  return key === undefined ? undefined : state.entryOfRecord(key);
}
