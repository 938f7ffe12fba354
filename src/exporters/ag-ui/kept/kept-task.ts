import type { ExplanationNode } from '../../../model/node.ts';
import { byStart } from '../../../model/node-order.ts';
import type { TaskGraph } from '../task-graph.ts';

const CONVENTION = 'ag-ui';

/**
 * The roots of the runs of a task that came in by AG-UI alone, and whose events are all kept: it can be told by these. The
 * earliest first; none for any other task.
 */
export function keptRoots(graph: TaskGraph): readonly ExplanationNode[] {
  const roots: ExplanationNode[] = [];
  for (const node of graph.nodes()) {
    const { convention, partOf, agUiEvents, agUiDropped } = node.details ?? {};
    if (agUiDropped !== undefined) return [];
    if (agUiEvents !== undefined) roots.push(node);
    else if (convention !== CONVENTION && partOf === undefined) return [];
  }
  return roots.sort(byStart);
}
