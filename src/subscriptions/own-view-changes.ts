import { BoundaryError } from '../base/boundary-error.ts';
import { collapsed, expanded, taskOfTarget } from './expansion.ts';
import type { Recall } from './recall/recall.ts';
import type { ViewChanges } from './view-changes.ts';
import type { ViewSource } from './view-source.ts';
import type { ViewSpec } from './view-spec.ts';

function taskExpanded(spec: ViewSpec, taskId: string): ViewSpec {
  return { ...spec, expandedTasks: new Set([...spec.expandedTasks, taskId]) };
}

/** Changes of views of the graph of this process. @param sourceFor what a view is computed from */
export function ownViewChanges(
  source: ViewSource,
  sourceFor: (spec: ViewSpec) => ViewSource,
  recall: Recall | undefined,
): ViewChanges {
  return {
    expanded: (spec, nodeId) => expanded(spec, nodeId, sourceFor(spec)),
    collapsed: (spec, nodeId) => collapsed(spec, nodeId, sourceFor(spec)),
    taskExpanded,
    opened(spec, opening) {
      if (opening.type === 'expandTask') return taskExpanded(spec, opening.taskId);
      const { nodeId, type } = opening;
      const expandedSummaries = new Set(spec.expandedSummaries);
      if (type === 'expand') return { ...spec, expandedSummaries: expandedSummaries.add(nodeId) };
      try {
        return collapsed(spec, nodeId, sourceFor(spec));
      } catch (error) {
        if (!(error instanceof BoundaryError)) throw error;
        expandedSummaries.delete(nodeId);
        return { ...spec, expandedSummaries };
      }
    },
    mayHaveTask: (taskId) => source.graph.nodesOfTask(taskId).size > 0 || (recall?.knows(taskId) ?? false),
    taskOf: (nodeId, spec) => taskOfTarget(nodeId, sourceFor(spec).graph),
  };
}
