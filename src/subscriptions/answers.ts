import { compareTasks } from '../analysis/compare.ts';
import { failureOfTask, startOfTask } from '../analysis/outcome.ts';
import { nodesToRead, type TextsOf } from '../analysis/run.ts';
import { stepsToCompare, summarise } from '../analysis/summary.ts';
import { explainWhy } from '../analysis/why.ts';
import { findSpikes } from '../analysis/spikes.ts';
import { BoundaryError } from '../base/boundary-error.ts';
import type { Turns } from '../base/pace.ts';
import type { IsOver, Work } from '../base/in-turns.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { CompareAnswer } from '../model/compare.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { TaskSummary } from '../model/summary.ts';
import type { SpikesAnswer, WhyAnswer, WhyQuestion } from '../model/why.ts';
import { summaryTask } from './expansion.ts';

/** Gets the texts of nodes, wherever they are. */
export type LoadTexts = (nodeIds: readonly string[]) => Promise<TextsOf>;

/** @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND */
export function whyAnswer(
  graph: GraphReader,
  question: WhyQuestion,
  textsOf: TextsOf,
  lastUpdated: string,
): WhyAnswer {
  return explainWhy(graph, nodeAskedAbout(graph, question), textsOf, lastUpdated);
}

/** The nodes whose texts the answer reads. @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND */
export function readForWhy(graph: GraphReader, question: WhyQuestion): string[] {
  return nodesToRead(graph, nodeAskedAbout(graph, question));
}

function nodeAskedAbout(graph: GraphReader, question: WhyQuestion): ExplanationNode {
  if ('taskId' in question) {
    const { taskId } = question;
    const node = failureOfTask(graph, taskId) ?? startOfTask(graph, taskId);
    if (node) return node;
    throw new BoundaryError('NOT_FOUND', 'taskId: no task with this id is known');
  }
  const { nodeId } = question;
  const node = graph.node(nodeId);
  if (node) return node;
  if (summaryTask(nodeId, graph) === undefined) {
    throw new BoundaryError('NOT_FOUND', 'nodeId: no node with this id is known');
  }
  throw new BoundaryError(
    'INVALID_ARGUMENT',
    'nodeId: a summary has no cause of its own; ask about one of its members (GET /api/nodes/{id} lists them)',
  );
}

/** The nodes whose texts the answer reads. @throws BoundaryError NOT_FOUND */
export function* readForSummary(graph: GraphReader, taskId: string, isOver: IsOver): Work<string[]> {
  return [...readForWhy(graph, { taskId }), ...(yield* stepsToCompare(graph, taskId, isOver))];
}

/** @throws BoundaryError NOT_FOUND */
export function summaryAnswer(
  graph: GraphReader,
  taskId: string,
  textsOf: TextsOf,
  lastUpdated: string,
  isOver: IsOver,
): Work<TaskSummary> {
  return summarise(graph, taskId, whyAnswer(graph, { taskId }, textsOf, lastUpdated), textsOf, isOver);
}

/** Of one task, or of all in memory. @throws BoundaryError NOT_FOUND */
export function spikesAnswer(graph: GraphReader, taskId: string | undefined): SpikesAnswer {
  if (taskId !== undefined && graph.nodesOfTask(taskId).size === 0) {
    throw new BoundaryError('NOT_FOUND', 'taskId: no task with this id is known');
  }
  return findSpikes(graph, taskId === undefined ? graph.taskIds() : [taskId]);
}

/** @throws BoundaryError NOT_FOUND, naming the side */
export async function compareAnswer(
  graph: GraphReader,
  tasks: { readonly a: string; readonly b: string },
  load: LoadTexts,
  pace: Turns,
): Promise<CompareAnswer> {
  for (const side of ['a', 'b'] as const) {
    if (graph.nodesOfTask(tasks[side]).size > 0) continue;
    throw new BoundaryError('NOT_FOUND', `${side}: no task with this id is known`);
  }
  return compareTasks(graph, tasks.a, tasks.b, load, pace);
}
