import { atOnce } from '../../base/in-turns.ts';
import { isTraceId, requestNodeId, spanKey, thoughtId } from '../../model/ids.ts';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../../model/node.ts';
import { epochMs, parseTime, toFineIso } from '../../model/time.ts';
import { hashedSpanId, hashedTraceId, spanIdsOf } from './span-ids.ts';

/** A graph under new ids, in another task. */
export interface ReplayedGraph {
  readonly graph: ExplanationGraph;
  /** The node that stands for one of the original. */
  readonly nodeOf: (originalId: string) => ExplanationNode | undefined;
  /** The steps of a thought that is told of its own, as they stand for the original's, by the node that had it. */
  readonly thoughtsOf: (originalId: string) => readonly string[];
}

export interface ReplayOptions {
  readonly taskId: string;
  readonly shiftMs: number;
}

const THOUGHT = /^thought:(\d+):(.+)$/s;

/**
 * A task's graph as another task: what the nodes say stays, but when and under which ids. The ids are functions of the
 * original's and of the task's, so nothing of both is ever joined.
 */
export function replayedGraph(original: ExplanationGraph, options: ReplayOptions): ReplayedGraph {
  const { nodes, edges } = original;
  const ids = newIds(nodes, options.taskId);
  const named = new Map(nodes.map((node) => [node.id, replayed(node, ids, options)]));
  const thoughts = Map.groupBy(
    nodes.filter(({ id }) => THOUGHT.test(id)),
    ({ id }) => ownerOf(id) ?? '',
  );
  return {
    graph: {
      nodes: [...named.values()],
      edges: edges.map((edge) => edgeBetween(edge, ids)),
      lastUpdated: original.lastUpdated,
    },
    nodeOf: (id) => named.get(id),
    thoughtsOf: (id) => thoughts.get(id)?.map((thought) => thought.id) ?? [],
  };
}

/** Whose thought it is a step of. */
export function ownerOf(id: string): string | undefined {
  return THOUGHT.exec(id)?.[2];
}

function newIds(nodes: readonly ExplanationNode[], taskId: string): ReadonlyMap<string, string> {
  const spans = atOnce(spanIdsOf(nodes));
  const owners = new Set(nodes.map(({ id }) => ownerOf(id)));
  const idOf = (id: string): string => {
    const span = hashedSpanId(`${taskId} ${id}`);
    // The node of a request can be given its thought by pieces.
    if (owners.has(id)) return requestNodeId(`replay-${hashedTraceId(`${taskId} ${id}`)}`);
    return spanKey(hashedTraceId(`${taskId} ${spans.get(id)?.traceId}`), span);
  };
  return new Map(
    nodes.map(({ id }) => {
      const [, step, owner] = THOUGHT.exec(id) ?? [];
      return [id, owner === undefined ? idOf(id) : thoughtId(idOf(owner), Number(step))];
    }),
  );
}

function replayed(
  node: ExplanationNode,
  ids: ReadonlyMap<string, string>,
  { taskId, shiftMs }: ReplayOptions,
): ExplanationNode {
  const time = parseTime(node.timestamp) ?? epochMs(0);
  return {
    ...node,
    id: ids.get(node.id) ?? node.id,
    taskId,
    timestamp: toFineIso(epochMs(time + shiftMs)),
    // Who reads it would wait for an end that is not recorded.
    state: node.state === 'RUNNING' ? 'ABANDONED' : node.state,
    details: detailsOf(node, ids, taskId),
  };
}

/** Ids by which records are joined are left out, or are the new ones. */
function detailsOf(
  { id, taskId: original, details = {} }: ExplanationNode,
  ids: ReadonlyMap<string, string>,
  taskId: string,
): { readonly [key: string]: unknown } {
  const {
    traceId,
    partOf,
    spanId: _spanId,
    namedSpanId: _namedSpanId,
    spanIds: _spanIds,
    traceIds: _traceIds,
    parentSpanId: _parentSpanId,
    causeSpanId: _causeSpanId,
    requestId: _requestId,
    dependsOn: _dependsOn,
    ...said
  } = details;
  return {
    ...said,
    ...(typeof partOf === 'string' && { partOf: ids.get(partOf) ?? partOf }),
    ...(isTraceId(traceId) && { traceId: hashedTraceId(`${taskId} ${traceId}`) }),
    replayOf: original,
    replayOfNode: id,
  };
}

function edgeBetween(edge: ExplanationEdge, ids: ReadonlyMap<string, string>): ExplanationEdge {
  return { ...edge, from: ids.get(edge.from) ?? edge.from, to: ids.get(edge.to) ?? edge.to };
}
