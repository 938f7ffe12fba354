import { type IsOver, type Work } from '../base/in-turns.ts';
import type { ExplanationEdge, ExplanationNode, GraphUpdate } from '../model/node.ts';

/**
 * Nodes, edges and removals in one update. So many are encoded within some milliseconds, half of what long work may have
 * of a turn of the event loop, and are some hundred kilobytes: a tenth of what gRPC clients take in one message by default.
 */
export const PART_ITEMS = 500;
/** Items that are looked at in one step: well under a millisecond. */
const STEP_ITEMS = 500;

/**
 * An update as several of at most so many items. Applied in order they are the whole, and after each of them every edge has
 * both its nodes: what goes goes first, and an edge comes when those of its nodes that are new have come.
 */
export function* partsOf(update: GraphUpdate, size: number, isOver: IsOver): Work<readonly GraphUpdate[]> {
  const { removedNodeIds, removedEdgeIds, addedNodes, addedEdges, timestamp, notices } = update;
  if (itemsOf(update) <= size) return [update];
  const placeOf = new Map<string, number>();
  yield* inSteps(addedNodes, ({ id }) => placeOf.set(id, placeOf.size + 1), isOver);
  const edgesAt: ExplanationEdge[][] = [[]];
  const put = (edge: ExplanationEdge): void => {
    const place = Math.max(placeOf.get(edge.from) ?? 0, placeOf.get(edge.to) ?? 0);
    (edgesAt[place] ??= []).push(edge);
  };
  yield* inSteps(addedEdges, put, isOver);

  const parts: OpenPart[] = [];
  let room = 0;
  const part = (): OpenPart => {
    if (room-- > 0) return parts[parts.length - 1] as OpenPart;
    room = size - 1;
    const empty = { removedNodeIds: [], removedEdgeIds: [], addedNodes: [], addedEdges: [], timestamp };
    const next = parts.length === 0 && notices ? { ...empty, notices } : empty;
    parts.push(next);
    return next;
  };
  const addEdge = (edge: ExplanationEdge): unknown => part().addedEdges.push(edge);
  yield* inSteps(removedNodeIds, (id) => part().removedNodeIds.push(id), isOver);
  yield* inSteps(removedEdgeIds, (edge) => part().removedEdgeIds.push(edge), isOver);
  yield* inSteps(edgesAt[0] ?? [], addEdge, isOver);
  let place = 0;
  const addNode = (node: ExplanationNode): void => {
    part().addedNodes.push(node);
    edgesAt[++place]?.forEach(addEdge);
  };
  yield* inSteps(addedNodes, addNode, isOver);
  return parts;
}

/** Nodes, edges and removals in an update. */
export function itemsOf({ removedNodeIds, removedEdgeIds, addedNodes, addedEdges }: GraphUpdate): number {
  return removedNodeIds.length + removedEdgeIds.length + addedNodes.length + addedEdges.length;
}

type Lists = Omit<GraphUpdate, 'timestamp' | 'notices'>;
type OpenPart = Pick<GraphUpdate, 'timestamp' | 'notices'> & {
  readonly [Name in keyof Lists]: Lists[Name][number][];
};

function* inSteps<T>(items: readonly T[], take: (item: T) => unknown, isOver: IsOver): Work<void> {
  for (let at = 0; at < items.length; at += STEP_ITEMS) {
    items.slice(at, at + STEP_ITEMS).forEach((item) => void take(item));
    if (isOver()) yield;
  }
}
