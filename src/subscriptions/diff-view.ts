import { isDeepStrictEqual } from 'node:util';
import type { ExplanationEdge, ExplanationNode, GraphUpdate } from '../model/node.ts';
import type { TaskView } from './compute-view.ts';

const EMPTY: TaskView = new Map();

/** Collects the difference between two states of a view, task by task, into one update. */
export class UpdateBuilder {
  private readonly addedNodes = new Map<string, ExplanationNode>();
  private readonly removedNodes = new Set<string>();
  private readonly addedEdges = new Map<string, ExplanationEdge>();
  private readonly removedEdges = new Map<string, ExplanationEdge>();

  /** Adds the difference of one task; undefined stands for a task that is not there. */
  addTask(beforeTask: TaskView = EMPTY, afterTask: TaskView = EMPTY): void {
    const before = whatOnlyIn(beforeTask, afterTask);
    const after = whatOnlyIn(afterTask, beforeTask);
    for (const [id, node] of after.nodes) {
      const held = before.nodes.get(id);
      if (held !== node && !isSameSummary(held, node)) this.addedNodes.set(id, node);
    }
    for (const id of before.nodes.keys()) if (!after.nodes.has(id)) this.removedNodes.add(id);
    for (const [id, edge] of after.edges) {
      const held = before.edges.get(id);
      if (held !== edge && !sameEdge(held, edge)) this.addedEdges.set(id, edge);
    }
    for (const [id, edge] of before.edges) if (!after.edges.has(id)) this.removedEdges.set(id, edge);
  }

  /** The update, or undefined when nothing changed. A node or edge that moved between tasks is a replacement. */
  build(timestamp: string): GraphUpdate | undefined {
    const removedNodeIds = [...this.removedNodes].filter((id) => !this.addedNodes.has(id));
    const removedEdgeIds = [...this.removedEdges.values()]
      .filter((edge) => !this.addedEdges.has(edge.id))
      .map(({ from, to, id }) => ({ from, to, id }));
    const addedNodes = [...this.addedNodes.values()];
    const addedEdges = [...this.addedEdges.values()];
    if (addedNodes.length + addedEdges.length + removedNodeIds.length + removedEdgeIds.length === 0) {
      return undefined;
    }
    return { addedNodes, removedNodeIds, addedEdges, removedEdgeIds, timestamp };
  }
}

interface Content {
  readonly nodes: ReadonlyMap<string, ExplanationNode>;
  readonly edges: ReadonlyMap<string, ExplanationEdge>;
}

/** The parts of a view that are not the very same in the other one, together. */
function whatOnlyIn(view: TaskView, other: TaskView): Content {
  const parts = [...view].filter(([id, part]) => other.get(id) !== part).map(([, part]) => part);
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const content = { nodes: new Map<string, ExplanationNode>(), edges: new Map<string, ExplanationEdge>() };
  for (const { nodes, edges } of parts) {
    for (const [id, node] of nodes) content.nodes.set(id, node);
    for (const [id, edge] of edges) content.edges.set(id, edge);
  }
  return content;
}

/** Nodes of the graph change by being replaced; summaries and notices are made anew with every look. */
function isSameSummary(held: ExplanationNode | undefined, node: ExplanationNode): boolean {
  return held !== undefined && isMadeForViews(node) && isDeepStrictEqual(held, node);
}

function isMadeForViews(node: ExplanationNode): boolean {
  return node.type === 'SUMMARY' || node.details?.['notice'] === 'truncated';
}

function sameEdge(a: ExplanationEdge | undefined, b: ExplanationEdge): boolean {
  return (
    a !== undefined &&
    a.from === b.from &&
    a.to === b.to &&
    a.relation === b.relation &&
    a.evidence === b.evidence &&
    a.bridged === b.bridged
  );
}
