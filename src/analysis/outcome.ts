import { seldom, type IsOver, type Work } from '../base/in-turns.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import { hasFailed } from '../model/failure.ts';
import type { ExplanationNode } from '../model/node.ts';
import { byStart } from '../model/node-order.ts';

/** Where a task failed: the failed step nearest to a root, the latest of several; errors before warnings. */
export function* failureOfTask(
  graph: GraphReader,
  taskId: string,
  isOver: IsOver,
): Work<ExplanationNode | undefined> {
  const failed = yield* nodesOfTask(graph, taskId, hasFailed, isOver);
  const errors = failed.filter(({ status }) => status === 'ERROR');
  const depths = new Map<string, number>();
  const isRest = seldom(isOver);
  let best: { readonly node: ExplanationNode; readonly depth: number } | undefined;
  for (const node of errors.length > 0 ? errors : failed) {
    const depth = yield* depthOf(graph, node.id, depths, isRest);
    const isNearer = best === undefined || depth < best.depth;
    if (isNearer || (depth === best?.depth && byStart(node, best.node) > 0)) best = { node, depth };
  }
  return best?.node;
}

/** How many steps contain a node. @param known of nodes that were asked about; each step up is taken once for all */
function* depthOf(graph: GraphReader, id: string, known: Map<string, number>, isRest: IsOver): Work<number> {
  const way: string[] = [];
  let above: string | undefined = id;
  while (above !== undefined && !known.has(above)) {
    way.push(above);
    known.set(above, 0);
    above = graph.treeParent(above);
    if (isRest()) yield;
  }
  let depth = above === undefined ? -1 : (known.get(above) ?? 0);
  for (const one of way.reverse()) {
    known.set(one, ++depth);
    if (isRest()) yield;
  }
  return depth;
}

/** Those of a task that are wanted. What leaves the task meanwhile may be among them or not. */
export function* nodesOfTask(
  graph: GraphReader,
  taskId: string,
  isWanted: (node: ExplanationNode) => boolean,
  isOver: IsOver,
): Work<ExplanationNode[]> {
  const isRest = seldom(isOver);
  const nodes: ExplanationNode[] = [];
  for (const id of Array.from(graph.nodesOfTask(taskId))) {
    const node = graph.node(id);
    if (node?.taskId === taskId && isWanted(node)) nodes.push(node);
    if (isRest()) yield;
  }
  return nodes;
}

/** The first step of a task that no other contains: what a user asked only where there is nothing else. */
export function* startOfTask(
  graph: GraphReader,
  taskId: string,
  isOver: IsOver,
): Work<ExplanationNode | undefined> {
  const isRest = seldom(isOver);
  const isStep = ({ id, type }: ExplanationNode): boolean =>
    type !== 'USER_QUERY' && graph.treeParent(id) === undefined;
  let first: ExplanationNode | undefined;
  let other: ExplanationNode | undefined;
  for (const node of yield* nodesOfTask(graph, taskId, () => true, isOver)) {
    if (isStep(node)) first = first && byStart(first, node) < 0 ? first : node;
    else other = other && byStart(other, node) < 0 ? other : node;
    if (isRest()) yield;
  }
  return first ?? other;
}

/** The steps that contain a node, the closest first. */
export function* ancestorsOf(graph: GraphReader, id: string, isOver: IsOver): Work<string[]> {
  const isRest = seldom(isOver);
  const found: string[] = [];
  const seen = new Set([id]);
  for (
    let above = graph.treeParent(id);
    above !== undefined && !seen.has(above);
    above = graph.treeParent(above)
  ) {
    seen.add(above);
    found.push(above);
    if (isRest()) yield;
  }
  return found;
}
