import type { GraphReader } from '../graph/graph-reader.ts';
import type { NodeSummary } from '../model/node.ts';
import { NO_FOLD, type Fold, type FoldedGroup, type FoldLimits } from './fold.ts';
import { foldableNodes } from './foldable.ts';
import { groupNodes } from './group-nodes.ts';
import { mostImportant } from './importance.ts';
import { noticeNode, summaryNode } from './summary-node.ts';

/** How a task is shown with collapsing on: a function of the graph and the limits alone. */
export function foldTask(graph: GraphReader, taskId: string, limits: FoldLimits): Fold {
  const total = graph.nodesOfTask(taskId).size;
  if (total < 2) return NO_FOLD;
  const routine = foldGroups(graph, taskId, foldableNodes(graph, taskId, limits), 'routine');
  const shown = total - routine.summaryOf.size + routine.groups.size;
  return shown <= limits.maxNodesPerTask
    ? routine
    : foldToLimit(graph, taskId, limits.maxNodesPerTask, total);
}

/** Half of what may be shown are nodes, the rest is room for one summary below each of them, and the notice. */
function foldToLimit(graph: GraphReader, taskId: string, limit: number, total: number): Fold {
  const kept = mostImportant(graph, taskId, Math.max(0, Math.floor((limit - 2) / 2)));
  const folded = new Set<string>();
  let earliest = '\uffff';
  for (const id of graph.nodesOfTask(taskId)) {
    const node = graph.node(id);
    if (node && node.timestamp < earliest) earliest = node.timestamp;
    if (!kept.has(id)) folded.add(id);
  }
  const fold = foldGroups(graph, taskId, folded, 'limit');
  return { ...fold, notice: noticeNode(taskId, earliest, total, limit) };
}

function foldGroups(
  graph: GraphReader,
  taskId: string,
  folded: ReadonlySet<string>,
  reason: NodeSummary['reason'],
): Fold {
  const summaryOf = new Map<string, string>();
  const groups = new Map<string, FoldedGroup>();
  for (const [id, members] of groupNodes(graph, taskId, folded)) {
    const nodes = members.map((member) => graph.node(member)).filter((node) => node !== undefined);
    groups.set(id, { summary: summaryNode(id, taskId, nodes, reason), members });
    for (const member of members) summaryOf.set(member, id);
  }
  return { summaryOf, groups, notice: undefined };
}
