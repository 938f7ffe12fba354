import { canonicalAgent } from '../model/agent.ts';
import { alternativeId, edgeId, queryId, switchId, thoughtId } from '../model/ids.ts';
import { isSameModel } from '../model/model-name.ts';
import type { EdgeRelation, Evidence, ExplanationEdge, ExplanationNode } from '../model/node.ts';
import { compareIso } from '../model/time.ts';
import { firstLine } from '../model/one-line.ts';
import { titleLine } from '../model/title.ts';
import { textFieldOf, thoughtsOf } from '../model/thought-text.ts';
import { MAX_SPLIT_CHARS, MAX_THOUGHTS, thoughtSteps } from '../model/thoughts.ts';
import {
  isSpan,
  orderedParts,
  orderedSteps,
  toldBy,
  type NodeEntry,
  type SpanEntry,
  type StepEntry,
} from './node-entry.ts';

/** Longest summary of a prompt or thought (founding spec 4.1.3). */
const SUMMARY_CHARS = 200;

/** A node that is made from the records of another, and the edges into it. */
export interface DerivedNode {
  readonly node: ExplanationNode;
  readonly edges: readonly ExplanationEdge[];
  /** An edge from it to the node that it was made from; its id. */
  readonly leadsToOwner?: ExplanationEdge;
  /** Of a query: the record with what the user asked. */
  readonly asked?: StepEntry;
}

export interface DerivedOptions {
  /** 0: thoughts become no nodes. */
  readonly maxCoTDepth: number;
  /** May readers see the steps of this agent's thoughts? */
  readonly hasSteps: (agent: string) => boolean;
  /** The LLM calls that this one continues. */
  readonly callsBefore: (entry: NodeEntry) => readonly NodeEntry[];
  readonly nodeOf: (entry: NodeEntry) => ExplanationNode | undefined;
  /** The record with what the user asked at the beginning of the trace, if this is the root that it began. */
  readonly queryOf: (root: SpanEntry) => StepEntry | undefined;
}

/**
 * What the records of a node show besides it: the steps of its chain of thought and the ways that were weighed in
 * it, a change of the model, what the user asked. A function of the node and of those that it refers to.
 */
export function derivedNodes(
  entry: NodeEntry,
  owner: ExplanationNode,
  options: DerivedOptions,
): DerivedNode[] {
  if (entry.event) return NONE;
  const told = toldBy(entry)?.facts.step.retold;
  // All is told itself, but for a thought that still comes by pieces.
  if (told) {
    const isThinking = told.state === 'RUNNING' && (entry.request?.parts.size ?? 0) > 0;
    return isThinking ? thoughts(entry, owner, options) : NONE;
  }
  const parts = [
    thoughts(entry, owner, options),
    alternatives(owner),
    switches(entry, owner, options),
    query(entry, owner, options),
  ].filter((made) => made.length > 0);
  return parts.length === 0 ? NONE : parts.flat();
}

/** What nearly every node gives: nothing is made for it. */
const NONE: DerivedNode[] = [];
const NO_LINES: readonly string[] = [];

/** One node for each step, each leading to the next. Readers see those beyond `maxCoTDepth` folded. */
function thoughts(
  entry: NodeEntry,
  owner: ExplanationNode,
  { maxCoTDepth, hasSteps }: DerivedOptions,
): DerivedNode[] {
  const lines = hasSteps(owner.agent) ? thoughtLines(entry) : NO_LINES;
  if (lines.length === 0) return NONE;
  return lines.slice(0, maxCoTDepth === 0 ? 0 : MAX_THOUGHTS).map((line, i) => {
    const id = thoughtId(owner.id, i + 1);
    const before = i === 0 ? owner.id : thoughtId(owner.id, i);
    return {
      node: {
        ...partOf(owner, id, 'REASONING', `thought ${i + 1}`),
        ...titled(line),
        details: { ...contextOf(owner), step: i + 1, steps: lines.length },
      },
      edges: [edge(before, 'NEXT_STEP', id, 'parentSpanId')],
    };
  });
}

/** The thought that was sent by itself goes before what the call's own records hold of it. */
function thoughtLines(entry: NodeEntry): readonly string[] {
  const parts = orderedParts(entry.request);
  if (parts.length > 0 && textFieldOf(parts) === 'reasoning') {
    const sent = thoughtsOf(parts, MAX_SPLIT_CHARS).flatMap((text) => thoughtSteps(text));
    if (sent.length > 0) return sent;
  }
  const steps = orderedSteps(entry);
  for (let i = steps.length - 1; i >= 0; i--) {
    const step = steps[i]?.facts.step;
    if (step?.thoughts && step.thoughts.length > 0 && step.container !== true) return step.thoughts;
  }
  return NO_LINES;
}

/** Candidate plans, with their votes, as branches below the step that weighed them. */
function alternatives(owner: ExplanationNode): DerivedNode[] {
  const said = owner.details?.['alternatives'];
  if (!Array.isArray(said)) return NONE;
  return said.map((item: unknown, i) => {
    const id = alternativeId(owner.id, i + 1);
    const fields =
      typeof item === 'object' && item !== null
        ? (item as { readonly [key: string]: unknown })
        : { text: item };
    const { text, ...figures } = fields;
    return {
      node: {
        ...partOf(owner, id, 'REASONING', `alternative ${i + 1}`),
        ...(typeof text === 'string' && titled(firstLine(text, SUMMARY_CHARS))),
        details: { ...contextOf(owner), ...figures, alternative: i + 1 },
      },
      edges: [edge(owner.id, 'NEXT_STEP', id, 'parentSpanId')],
    };
  });
}

/**
 * Another model answered than was asked for, or the agent goes on with another model than before in the same
 * conversation. Snapshots of one model are no other model.
 */
function switches(entry: NodeEntry, owner: ExplanationNode, options: DerivedOptions): DerivedNode[] {
  if (owner.type !== 'LLM_CALL' || owner.model === undefined) return NONE;
  const requested = owner.details?.['requestModel'];
  const id = switchId(owner.id);
  if (typeof requested === 'string' && !isSameModel(requested, owner.model)) {
    const node = switchNode(owner, id, requested, owner.model, 'another model answered than was asked for');
    return [{ node, edges: [edge(owner.id, 'REFLECTED', id, 'content')] }];
  }
  const calls = options.callsBefore(entry);
  if (calls.length === 0) return NONE;
  const before = latest(calls.map(options.nodeOf).filter((node) => node !== undefined));
  if (before?.model === undefined || isSameModel(before.model, owner.model)) return NONE;
  if (canonicalAgent(before.agent) !== canonicalAgent(owner.agent)) return NONE;
  const node = switchNode(
    owner,
    id,
    before.model,
    owner.model,
    'the conversation goes on with another model',
  );
  return [
    {
      node,
      edges: [edge(before.id, 'REFLECTED', id, 'content')],
      leadsToOwner: edge(id, 'NEXT_STEP', owner.id, 'content'),
    },
  ];
}

function switchNode(
  owner: ExplanationNode,
  id: string,
  oldModel: string,
  newModel: string,
  reason: string,
): ExplanationNode {
  return {
    ...partOf(owner, id, 'MODEL_SWITCH', 'model switch'),
    state: 'ENDED',
    model: newModel,
    title: titleLine(`${oldModel} → ${newModel}`) ?? '',
    details: { ...contextOf(owner), oldModel, newModel, reason },
  };
}

function query(entry: NodeEntry, owner: ExplanationNode, options: DerivedOptions): DerivedNode[] {
  for (const root of entry.steps) {
    if (!isSpan(root)) continue;
    const asked = options.queryOf(root);
    const text = asked?.facts.step.promptSummary;
    if (!asked || text === undefined) continue;
    const id = queryId(root.facts.traceId);
    const node: ExplanationNode = {
      ...partOf(owner, id, 'USER_QUERY', 'user query'),
      state: 'ENDED',
      ...titled(text),
      details: contextOf(owner),
    };
    return [{ node, edges: [], leadsToOwner: edge(id, 'USER_ACTION', owner.id, 'content'), asked }];
  }
  return NONE;
}

function partOf(
  { timestamp, agent, taskId, state }: ExplanationNode,
  id: string,
  type: ExplanationNode['type'],
  name: string,
): ExplanationNode {
  return { id, timestamp, agent, type, name, taskId, state, status: 'OK', title: name };
}

function titled(line: string): Pick<ExplanationNode, 'promptSummary' | 'title'> | undefined {
  const title = titleLine(line);
  return title === undefined ? undefined : { promptSummary: line, title };
}

/** So that filters by trace find it, and a reader its origin; its span is that node's alone. */
function contextOf({ id, details }: ExplanationNode): { readonly [key: string]: unknown } {
  const traceId = details?.['traceId'];
  return traceId === undefined ? { partOf: id } : { partOf: id, traceId };
}

function edge(from: string, relation: EdgeRelation, to: string, evidence: Evidence): ExplanationEdge {
  return { id: edgeId(from, relation, to), from, to, relation, evidence };
}

function latest(nodes: readonly ExplanationNode[]): ExplanationNode | undefined {
  let best: ExplanationNode | undefined;
  for (const node of nodes) {
    const order = best ? compareIso(node.timestamp, best.timestamp) : 1;
    if (!best || order > 0 || (order === 0 && node.id > best.id)) best = node;
  }
  return best;
}
