import type { GraphReader } from '../graph/graph-reader.ts';
import type { NodeCounter } from '../pruning/match-counter.ts';
import type { RunOfNodes, TaskFolds } from '../pruning/task-folds.ts';
import type { ExplanationNode } from '../model/node.ts';

/** As much of the graph as views need. */
export type VisibleGraph = Pick<GraphReader, 'node' | 'inEdges' | 'nodesOfTask' | 'taskIds' | 'tasksAfter'>;

/** How tasks are folded now; up to date with the graph. */
export interface FoldReader extends Pick<TaskFolds, 'foldOf' | 'firstFrom' | 'unwatch'> {
  runsOf(taskId: string): Iterable<RunOfNodes>;
  /** A test of nodes that is asked of groups from now on, until `unwatch`. */
  watch(key: string, test: (node: ExplanationNode) => boolean): NodeCounter;
}

/** What views are computed from. */
export interface ViewSource {
  readonly graph: VisibleGraph;
  readonly folds: FoldReader;
}
