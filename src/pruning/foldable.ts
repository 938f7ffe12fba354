import type { GraphReader } from '../graph/graph-reader.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { FoldLimits } from './fold.ts';

/**
 * The nodes of a task that may be folded: dull ones from which only dull ones of the same task are reached.
 * So whatever is worth showing keeps everything that led to it, up to the root, and no edge ever leads out of
 * what is folded.
 */
export function foldableNodes(graph: GraphReader, taskId: string, limits: FoldLimits): Set<string> {
  const foldable = new Set<string>();
  const known = new Set<string>();
  const isDull = dullness(graph, taskId, limits);
  for (const start of graph.nodesOfTask(taskId)) {
    // Iterative post-order: a task may be one chain of tens of thousands of nodes.
    const stack = [start];
    for (let id = stack.at(-1); id !== undefined; id = stack.at(-1)) {
      if (known.has(id)) {
        stack.pop();
        continue;
      }
      const node = graph.node(id);
      if (!node || !isDull(node)) {
        stack.pop();
        known.add(id);
        continue;
      }
      const edges = graph.outEdges(id);
      const open = edges.filter((edge) => !known.has(edge.to) && graph.node(edge.to)?.taskId === taskId);
      if (open.length > 0) {
        for (const edge of open) stack.push(edge.to);
        continue;
      }
      stack.pop();
      known.add(id);
      if (edges.every((edge) => foldable.has(edge.to)) && !isRoot(graph, id)) foldable.add(id);
    }
  }
  return foldable;
}

function dullness(
  graph: GraphReader,
  taskId: string,
  limits: FoldLimits,
): (node: ExplanationNode) => boolean {
  let calls = 0;
  for (const id of graph.nodesOfTask(taskId)) if (isThought(graph.node(id))) calls++;
  const depth = calls > limits.maxCoTDepth ? new NestingDepth(graph) : undefined;
  return (node) =>
    isQuiet(node) &&
    (isRoutine(node, limits) || (depth !== undefined && depth.of(node) > limits.maxCoTDepth));
}

function isThought(node: ExplanationNode | undefined): boolean {
  return node?.type === 'LLM_CALL' || node?.type === 'REASONING';
}

/** Nothing happened in it that somebody would look for. */
function isQuiet(node: ExplanationNode): boolean {
  return (
    node.status === 'OK' &&
    node.state === 'ENDED' &&
    node.type !== 'MODEL_SWITCH' &&
    node.type !== 'REFLEXION_ACTION' &&
    node.type !== 'USER_QUERY'
  );
}

function isRoutine(node: ExplanationNode, limits: FoldLimits): boolean {
  const fast = node.latencyMs !== undefined && node.latencyMs < limits.pruneLatencyThresholdMs;
  const cheap = node.costUsd === undefined || node.costUsd < limits.minCostUsdDetail;
  return fast && cheap;
}

/** Where a run begins stays in sight. */
function isRoot(graph: GraphReader, id: string): boolean {
  return graph.inEdges(id).length === 0;
}

/** How many LLM calls and reasoning steps of its task a node is nested in, itself included. */
class NestingDepth {
  private readonly graph: GraphReader;
  private readonly known = new Map<string, number>();

  constructor(graph: GraphReader) {
    this.graph = graph;
  }

  of(node: ExplanationNode): number {
    const path: ExplanationNode[] = [];
    let at: ExplanationNode | undefined = node;
    while (at && !this.known.has(at.id)) {
      path.push(at);
      const parent = this.graph.treeParent(at.id);
      const above: ExplanationNode | undefined = parent === undefined ? undefined : this.graph.node(parent);
      at = above?.taskId === at.taskId ? above : undefined;
    }
    let depth = at ? (this.known.get(at.id) ?? 0) : 0;
    for (const step of path.reverse()) {
      if (isThought(step)) depth++;
      this.known.set(step.id, depth);
    }
    return depth;
  }
}
