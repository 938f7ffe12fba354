import type { GraphReader } from '../graph/graph-reader.ts';
import { hasFailed } from '../model/failure.ts';
import type { ExplanationNode } from '../model/node.ts';
import { byStart } from './order.ts';

/** Where a task failed: the failed step nearest to a root, the latest of several; errors before warnings. */
export function failureOfTask(graph: GraphReader, taskId: string): ExplanationNode | undefined {
  const nodes = [...graph.nodesOfTask(taskId)]
    .map((id) => graph.node(id))
    .filter((node) => node !== undefined);
  const failed = nodes.filter(hasFailed);
  const errors = failed.filter(({ status }) => status === 'ERROR');
  const depths = new Map<string, number>();
  let best: { readonly node: ExplanationNode; readonly depth: number } | undefined;
  for (const node of errors.length > 0 ? errors : failed) {
    const depth = depthOf(graph, node.id, depths);
    const isNearer = best === undefined || depth < best.depth;
    if (isNearer || (depth === best?.depth && byStart(node, best.node) > 0)) best = { node, depth };
  }
  return best?.node;
}

/** How many steps contain a node. @param known of nodes that were asked about; each step up is taken once for all */
function depthOf(graph: GraphReader, id: string, known: Map<string, number>): number {
  const way: string[] = [];
  let above: string | undefined = id;
  while (above !== undefined && !known.has(above)) {
    way.push(above);
    known.set(above, 0);
    above = graph.treeParent(above);
  }
  let depth = above === undefined ? -1 : (known.get(above) ?? 0);
  for (const one of way.reverse()) known.set(one, ++depth);
  return depth;
}

/** The first step of a task. */
export function startOfTask(graph: GraphReader, taskId: string): ExplanationNode | undefined {
  let first: ExplanationNode | undefined;
  for (const id of graph.nodesOfTask(taskId)) {
    const node = graph.node(id);
    if (node && (!first || byStart(node, first) < 0)) first = node;
  }
  return first;
}

/** The steps that contain a node, the closest first. */
export function ancestorsOf(graph: GraphReader, id: string): string[] {
  const found: string[] = [];
  const seen = new Set([id]);
  for (
    let above = graph.treeParent(id);
    above !== undefined && !seen.has(above);
    above = graph.treeParent(above)
  ) {
    seen.add(above);
    found.push(above);
  }
  return found;
}
