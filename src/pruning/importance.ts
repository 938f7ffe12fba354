import type { GraphReader } from '../graph/graph-reader.ts';
import type { ExplanationNode } from '../model/node.ts';

/**
 * The nodes to keep in sight when a task has too many: the most important ones, each with everything that led
 * to it within the task. Never more than `budget`.
 *
 * Importance, highest first: errors, warnings, model switches and reflexion actions, running steps, the
 * beginnings of runs; then what cost more, then what took longer, then what is newer, then by id.
 */
export function mostImportant(graph: GraphReader, taskId: string, budget: number): Set<string> {
  const ranked = [...graph.nodesOfTask(taskId)]
    .map((id) => graph.node(id))
    .filter((node) => node !== undefined)
    .map((node) => ({ node, rank: rankOf(graph, node) }))
    .sort((a, b) => b.rank - a.rank || compare(a.node, b.node));
  const kept = new Set<string>();
  for (const { node } of ranked) {
    if (kept.size >= budget) break;
    const path = pathTo(graph, taskId, node.id, kept, budget - kept.size);
    if (path) for (const id of path) kept.add(id);
  }
  return kept;
}

function rankOf(graph: GraphReader, node: ExplanationNode): number {
  if (node.status === 'ERROR') return 5;
  if (node.status === 'WARNING') return 4;
  if (node.type === 'MODEL_SWITCH' || node.type === 'REFLEXION_ACTION') return 3;
  if (node.state === 'RUNNING') return 2;
  return graph.inEdges(node.id).length === 0 ? 1 : 0;
}

function compare(a: ExplanationNode, b: ExplanationNode): number {
  const byCost = (b.costUsd ?? 0) - (a.costUsd ?? 0);
  if (byCost !== 0) return byCost;
  const byLatency = (b.latencyMs ?? 0) - (a.latencyMs ?? 0);
  if (byLatency !== 0) return byLatency;
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}

/** A node and all its ancestors in the task that are not kept yet; undefined when they are more than fit. */
function pathTo(
  graph: GraphReader,
  taskId: string,
  id: string,
  kept: ReadonlySet<string>,
  room: number,
): Set<string> | undefined {
  const path = new Set<string>(kept.has(id) ? [] : [id]);
  for (const at of path) {
    if (path.size > room) return undefined;
    for (const edge of graph.inEdges(at)) {
      if (!kept.has(edge.from) && graph.node(edge.from)?.taskId === taskId) path.add(edge.from);
    }
  }
  return path.size > room ? undefined : path;
}
