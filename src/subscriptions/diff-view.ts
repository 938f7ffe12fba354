import { isDeepStrictEqual } from 'node:util';
import type { IsOver, Work } from '../base/in-turns.ts';
import type { ExplanationEdge, ExplanationNode, GraphUpdate } from '../model/node.ts';
import type { TaskView, ViewPart } from './compute-view.ts';
import { isStructure } from './structure-node.ts';

/** What is seen of each task. */
export type TaskViews = ReadonlyMap<string, TaskView>;

const NO_TASK: TaskView = new Map();

/**
 * What who sees the one state of a view, or of some of its tasks, needs in order to see the other; undefined when that is
 * nothing. A node or edge that moved between tasks is a replacement.
 */
export function* difference(
  before: TaskViews,
  after: TaskViews,
  timestamp: string,
  isOver: IsOver,
  sameNode: (held: ExplanationNode, node: ExplanationNode) => boolean = sameForViews,
): Work<GraphUpdate | undefined> {
  // What is seen no longer: all of before that is not found in after.
  const nodes = new Map<string, ExplanationNode>();
  const edges = new Map<string, ExplanationEdge>();
  for (const [taskId, task] of before) {
    for (const part of onlyIn(task, after.get(taskId))) {
      for (const node of part.nodes) nodes.set(node.id, node);
      for (const edge of part.edges) edges.set(edge.id, edge);
      if (isOver()) yield;
    }
  }
  const addedNodes: ExplanationNode[] = [];
  const addedEdges: ExplanationEdge[] = [];
  for (const [taskId, task] of after) {
    for (const part of onlyIn(task, before.get(taskId))) {
      for (const node of part.nodes) {
        const held = nodes.get(node.id);
        nodes.delete(node.id);
        if (held !== node && (held === undefined || !sameNode(held, node))) addedNodes.push(node);
      }
      for (const edge of part.edges) {
        const held = edges.get(edge.id);
        edges.delete(edge.id);
        if (held !== edge && !sameEdge(held, edge)) addedEdges.push(edge);
      }
      if (isOver()) yield;
    }
  }
  if (addedNodes.length + addedEdges.length + nodes.size + edges.size === 0) return undefined;
  const removedEdgeIds = [...edges.values()].map(({ from, to, id }) => ({ from, to, id }));
  return { addedNodes, removedNodeIds: [...nodes.keys()], addedEdges, removedEdgeIds, timestamp };
}

/** The parts of what is seen of a task that are not the very same in the other one. */
function* onlyIn(task: TaskView, other: TaskView = NO_TASK): Generator<ViewPart> {
  if (task === other) return;
  for (const [id, part] of task) if (other.get(id) !== part) yield part;
}

/**
 * Nodes of the graph change by being replaced. Summaries and notices are made anew with every look; and of a node that is seen
 * without texts what is seen may be the same when it has changed.
 */
function sameForViews(held: ExplanationNode, node: ExplanationNode): boolean {
  return isMadeForViews(node) && isDeepStrictEqual(held, node);
}

function isMadeForViews(node: ExplanationNode): boolean {
  return node.type === 'SUMMARY' || node.details?.['notice'] === 'truncated' || isStructure(node);
}

export function sameEdge(a: ExplanationEdge | undefined, b: ExplanationEdge): boolean {
  return (
    a !== undefined &&
    a.from === b.from &&
    a.to === b.to &&
    a.relation === b.relation &&
    a.evidence === b.evidence &&
    a.bridged === b.bridged
  );
}
