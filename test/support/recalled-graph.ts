import { CausalGraph } from '../../src/graph/causal-graph.ts';
import type { GraphReader } from '../../src/graph/graph-reader.ts';
import type { ExplanationEdge, ExplanationNode } from '../../src/model/node.ts';
import type { ArchivedStep } from '../../src/subscriptions/recall/archive.ts';

/**
 * What a reader looks at who recalls some tasks, by the rule: of these what left memory as well, unless it is in memory
 * again; with the edges of both, but of those of what left none into tasks that are seen and not recalled.
 */
export function recalledGraph(
  live: GraphReader,
  left: Iterable<ArchivedStep>,
  isRecalled: (taskId: string) => boolean,
  isHidden: (taskId: string) => boolean,
): CausalGraph {
  const nodes = new Map<string, ExplanationNode>();
  const edges = new Map<string, ExplanationEdge>();
  const steps = [...left].filter(({ node }) => isRecalled(node.taskId));
  for (const { node } of steps) nodes.set(node.id, node);
  const inMemory = [...live.taskIds()].flatMap((taskId) => [...live.nodesOfTask(taskId)]);
  for (const id of inMemory) nodes.set(id, live.node(id) as ExplanationNode);
  for (const step of steps)
    for (const edge of step.edges) {
      const target = nodes.get(edge.to);
      if (target && nodes.has(edge.from) && (isRecalled(target.taskId) || isHidden(target.taskId)))
        edges.set(edge.id, edge);
    }
  for (const id of inMemory) for (const edge of live.inEdges(id)) edges.set(edge.id, edge);
  const graph = new CausalGraph();
  for (const node of nodes.values()) graph.putNode(node);
  for (const id of nodes.keys())
    graph.putInEdges(
      id,
      [...edges.values()].filter(({ to }) => to === id),
    );
  return graph;
}

/**
 * Do edges of what left contradict others, so that some of them are left out? Which ones goes by what everybody
 * recalls, and is not judged.
 */
export function contradicts(live: GraphReader, left: readonly ArchivedStep[]): boolean {
  const inMemory = [...live.taskIds()].flatMap((taskId) => [...live.nodesOfTask(taskId)]);
  const edges = [...left.flatMap((step) => step.edges), ...inMemory.flatMap((id) => live.inEdges(id))];
  const before = Map.groupBy(edges, (edge) => edge.to);
  const open = new Set(before.keys());
  for (let went = true; went;) {
    went = false;
    for (const id of open) {
      if (before.get(id)?.some(({ from }) => open.has(from)) === true) continue;
      open.delete(id);
      went = true;
    }
  }
  return open.size > 0;
}
