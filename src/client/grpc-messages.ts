import { isObject, type JsonObject } from '../base/json.ts';
import { fromStruct, type StructMessage } from '../base/struct.ts';
import type { CompareAnswer } from '../model/compare.ts';
import type { ExplanationGraph, GraphUpdate } from '../model/node.ts';
import type { PatternsAnswer } from '../model/patterns.ts';
import type { Noticed } from '../model/noticed.ts';
import type { Pruned } from '../model/pruned.ts';
import type { NodeDetail, ServerFrame } from '../model/reader-messages.ts';
import type { SearchPage } from '../model/search.ts';
import type { TaskSummary } from '../model/summary.ts';
import { ToldNode } from '../model/told-node.ts';
import type { TaskOverview } from '../model/task-overview.ts';
import type { TaskPage } from '../model/task-query.ts';
import type { SpikesAnswer, WhyAnswer } from '../model/why.ts';
import { asGraph, asUpdate, badAnswer, eventOf } from './check-shape.ts';

/**
 * Messages of explain.proto as our shapes. The names are the same; what protobuf says in its own way is turned:
 * free JSON (Struct), and fields that are absent when they are zero, false or empty.
 */

/** @returns undefined for an event that is not known here: a newer service may send it */
export function frameOf(message: JsonObject): ServerFrame | undefined {
  const { subscribed, resumed, update, snapshotNeeded, taskEvent } = message;
  if (isObject(subscribed)) {
    const { graph, partial } = subscribed;
    return {
      type: 'subscribed',
      ...place(subscribed),
      ...(partial === true && { partial }),
      graph: graphOf(graph),
    };
  }
  if (isObject(resumed)) return { type: 'resumed', ...place(resumed) };
  if (isObject(update)) {
    const { update: content, partial, complete } = update;
    return {
      type: 'update',
      ...place(update),
      ...(partial === true && { partial }),
      ...(complete === true && { complete }),
      update: updateOf(content),
    };
  }
  if (isObject(taskEvent)) {
    const { sessionId, urlJson, urlD2, ...rest } = taskEvent;
    return eventOf({ ...rest, session_id: sessionId, url_json: urlJson, url_d2: urlD2 });
  }
  if (isObject(snapshotNeeded)) {
    const { subscriptionId, reason } = snapshotNeeded;
    return { type: 'snapshotNeeded', subscriptionId: text(subscriptionId), reason: text(reason) };
  }
  return undefined;
}

export function graphOf(message: unknown): ExplanationGraph {
  const { notices = [], ...graph } = asGraph(withNodes(message, 'nodes', 'lastUpdated'));
  return { ...graph, ...(notices.length > 0 && { notices }) };
}

function updateOf(message: unknown): GraphUpdate {
  const { notices, ...update } = withNodes(message, 'addedNodes', 'timestamp') as JsonObject;
  return asUpdate({ ...update, ...(isObject(notices) && { notices: list(notices['texts']) }) });
}

export function nodeDetailOf(message: JsonObject): NodeDetail {
  const { node, texts, attributes, members, memberEdges, memberCount, promptProvenance, notices } = message;
  if (!isObject(node)) throw badAnswer('a node without its fields');
  const spans = Object.entries(isObject(attributes) ? attributes : {});
  const shown = list(members);
  return {
    node: nodeOf(node),
    ...(texts !== undefined && { texts }),
    ...(spans.length > 0 && {
      attributes: Object.fromEntries(spans.map(([id, struct]) => [id, fromStruct(struct as StructMessage)])),
    }),
    ...(isObject(promptProvenance) && { promptProvenance: provenanceOf(promptProvenance) }),
    ...(memberCount !== undefined && { memberCount }),
    ...((shown.length > 0 || memberCount !== undefined) && {
      members: shown.map(nodeOf),
      memberEdges: list(memberEdges),
    }),
    ...noticesOf(notices),
  } as unknown as NodeDetail;
}

/** On the wire what is empty or 0 is left out. */
function provenanceOf({ parts, assembly, ...rest }: JsonObject): object {
  const spans = list(assembly).map((span) => ({ part: 0, start: 0, end: 0, ...(span as object) }));
  return {
    parts: list(parts).map((part) => ({ type: '', source: {}, value: '', ...(part as object) })),
    ...rest,
    ...(spans.length > 0 && { assembly: spans }),
  };
}

export function tasksOf({ tasks, nextCursor, notices }: JsonObject): TaskPage {
  return {
    tasks: list(tasks).map(overviewOf),
    ...(typeof nextCursor === 'string' && { nextCursor }),
    ...noticesOf(notices),
  };
}

function overviewOf(task: unknown): TaskOverview {
  const counts = { title: '', nodes: 0, errors: 0, warnings: 0, running: 0, durationMs: 0, types: {} };
  const { cells, ...told } = (task ?? {}) as JsonObject;
  return {
    ...counts,
    ...told,
    ...(list(cells).length > 0 && { cells }),
  } as unknown as TaskOverview;
}

export function searchOf({ hits, nextCursor, truncated, notices }: JsonObject): SearchPage {
  return {
    hits: list(hits).map((hit) => ({ start: 0, ...(hit as object) })) as unknown as SearchPage['hits'],
    ...(typeof nextCursor === 'string' && { nextCursor }),
    ...(truncated === true && { truncated }),
    ...noticesOf(notices),
  };
}

export function whyOf(message: JsonObject): WhyAnswer {
  const { nodeId, outcome, graph, candidates, agents, unexplained, considered, notice, truncated } = message;
  const { notices } = message;
  return {
    nodeId: text(nodeId),
    outcome: { failedNodes: [], ...(outcome as object) },
    candidates: list(candidates).map(candidateOf) as unknown as WhyAnswer['candidates'],
    agents: list(agents) as WhyAnswer['agents'],
    ...(unexplained === true && { unexplained }),
    considered: { steps: 0, withText: 0, cut: 0, ...(considered as object) },
    graph: graphOf(graph),
    notice: text(notice),
    ...(truncated === true && { truncated }),
    ...noticesOf(notices),
  };
}

/** What protobuf does not send because it is 0 or false is there again. */
function candidateOf(candidate: unknown): unknown {
  const { reasons, ...rest } = candidate as JsonObject;
  return { ...rest, reasons: list(reasons).map(reasonOf) };
}

function reasonOf(reason: unknown): unknown {
  const { evidence, ...rest } = reason as JsonObject;
  const { path, edgeIds, quotes, values } = (evidence ?? {}) as JsonObject;
  return {
    ...rest,
    evidence: {
      path: list(path),
      edgeIds: list(edgeIds),
      quotes: list(quotes).map((quote) => ({ start: 0, ...(quote as object) })),
      values: list(values).map((value) => ({ inToolResult: false, ...(value as object) })),
    },
  };
}

export function compareOf(message: JsonObject): CompareAnswer {
  const { a, b, steps, firstDivergence, counts, totals, models, outcome, nodes, notice, truncated } = message;
  const { notices } = message;
  const tasks = (totals ?? {}) as JsonObject;
  return {
    a: text(a),
    b: text(b),
    steps: list(steps).map((step) => ({
      depth: 0,
      differs: [],
      ...(step as object),
    })),
    ...(isObject(firstDivergence) && {
      firstDivergence: { step: 0, statement: '', ...firstDivergence },
    }),
    counts: { same: 0, differing: 0, onlyA: 0, onlyB: 0, textsCompared: 0, ...(counts as object) },
    totals: { a: overviewOf(tasks['a']), b: overviewOf(tasks['b']) },
    models: { a: [], b: [], ...(models as object) },
    outcome: { ...(outcome as object) },
    nodes: list(nodes).map(nodeOf) as CompareAnswer['nodes'],
    notice: text(notice),
    ...(truncated === true && { truncated }),
    ...noticesOf(notices),
  };
}

export function patternsOf(message: JsonObject): PatternsAnswer {
  const { patterns, tasks, tested, notice, truncated, notices } = message;
  const counts = { failed: 0, passed: 0, steps: 0, errors: 0, fisher: 0, p: 0 };
  return {
    patterns: list(patterns).map((pattern) => ({
      what: {},
      ...counts,
      ...(pattern as object),
    })),
    tasks: { failed: 0, passed: 0, ...(tasks as object) },
    tested: typeof tested === 'number' ? tested : 0,
    notice: text(notice),
    ...(truncated === true && { truncated }),
    ...noticesOf(notices),
  };
}

export function spikesOf(message: JsonObject): SpikesAnswer {
  const { spikes, notice, truncated, notices } = message;
  return {
    spikes: list(spikes) as SpikesAnswer['spikes'],
    notice: text(notice),
    ...(truncated === true && { truncated }),
    ...noticesOf(notices),
  };
}

export function summaryOf({ taskId, sentences, notices }: JsonObject): TaskSummary {
  const told = list(sentences).map((sentence) => ({ nodeIds: [], ...(sentence as object) }));
  return {
    taskId: text(taskId),
    sentences: told as unknown as TaskSummary['sentences'],
    ...noticesOf(notices),
  };
}

export function prunedOf({ prunedNodes, notices }: JsonObject): Pruned {
  return { prunedNodes: typeof prunedNodes === 'number' ? prunedNodes : 0, ...noticesOf(notices) };
}

function noticesOf(notices: unknown): Noticed {
  const sentences = list(notices).map(text);
  return sentences.length === 0 ? {} : { notices: sentences };
}

/** A graph or an update: its nodes made ours, its time always there. */
function withNodes(message: unknown, nodes: string, time: string): unknown {
  if (!isObject(message)) return undefined;
  return { ...message, [time]: text(message[time]), [nodes]: list(message[nodes]).map(nodeOf) };
}

/** On the wire an empty text is left out. */
export function nodeOf(node: unknown): unknown {
  if (!isObject(node) || node instanceof ToldNode) return node;
  const { details, ui } = node;
  return {
    agent: '',
    name: '',
    title: '',
    taskId: '',
    ...node,
    ...(details !== undefined && { details: fromStruct(details as StructMessage) }),
    ...(isObject(ui) && { ui: { ...ui, metadata: fromStruct(ui['metadata'] ?? {}) } }),
  };
}

/** The first sequence is 0, which protobuf doesn't send. */
function place({ subscriptionId, sequence = 0 }: JsonObject): {
  readonly subscriptionId: string;
  readonly sequence: number;
} {
  if (typeof sequence !== 'number') throw badAnswer('a frame without a sequence');
  return { subscriptionId: text(subscriptionId), sequence };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
