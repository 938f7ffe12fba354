import { compareTasks } from '../analysis/compare.ts';
import { failureOfTask, startOfTask } from '../analysis/outcome.ts';
import { nodesToRead, stepsBefore, type TextsOf } from '../analysis/run.ts';
import { stepsToCompare, summarise } from '../analysis/summary.ts';
import { explainWhy } from '../analysis/why.ts';
import { findSpikes } from '../analysis/spikes.ts';
import { BoundaryError } from '../base/boundary-error.ts';
import type { Turns } from '../base/pace.ts';
import { wholeInTurns, type IsOver, type Work } from '../base/in-turns.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import { hasFailed } from '../model/failure.ts';
import type { CompareAnswer } from '../model/compare.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { TaskSummary } from '../model/summary.ts';
import type { SpikesAnswer, WhyAnswer, WhyQuestion } from '../model/why.ts';
import { summaryTask } from './expansion.ts';

/** Gets the texts of nodes, wherever they are. */
export type LoadTexts = (nodeIds: readonly string[]) => Promise<TextsOf>;

/** Of a task whose failures leave memory as fast as they are looked at, what is known is told in the end. */
const MAX_ASKED_AGAIN = 3;

const NOTHING_FAILED =
  'Nothing in this task failed, so nothing is named. Ask about a step to see what led to it.';

/** @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND */
export async function whyAnswer(
  graph: GraphReader,
  question: WhyQuestion,
  load: LoadTexts,
  lastUpdated: string,
  pace: Turns,
  left = MAX_ASKED_AGAIN,
): Promise<WhyAnswer> {
  const isOver = (): boolean => pace.isOver;
  const asked = await wholeInTurns(nodeAskedAbout(graph, question, isOver), pace);
  const before = await wholeInTurns(stepsBefore(graph, asked, isOver), pace);
  const textsOf = await load(nodesToRead(before));
  const answer = await wholeInTurns(explainWhy(graph, before, textsOf, lastUpdated, isOver), pace);
  // What left memory meanwhile took its edges with it: without them nothing would be known of the failure. Of a task
  // the rest is told.
  if (graph.node(asked.id) || left === 0)
    return 'taskId' in question && !hasFailed(asked) ? { ...answer, notice: NOTHING_FAILED } : answer;
  return whyAnswer(graph, question, load, lastUpdated, pace, left - 1);
}

function* nodeAskedAbout(graph: GraphReader, question: WhyQuestion, isOver: IsOver): Work<ExplanationNode> {
  if ('taskId' in question) {
    const { taskId } = question;
    const node = (yield* failureOfTask(graph, taskId, isOver)) ?? (yield* startOfTask(graph, taskId, isOver));
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

/** @throws BoundaryError NOT_FOUND */
export async function summaryAnswer(
  graph: GraphReader,
  taskId: string,
  load: LoadTexts,
  lastUpdated: string,
  pace: Turns,
): Promise<TaskSummary> {
  const isOver = (): boolean => pace.isOver;
  const why = await whyAnswer(graph, { taskId }, load, lastUpdated, pace);
  const textsOf = await load(await wholeInTurns(stepsToCompare(graph, taskId, isOver), pace));
  return wholeInTurns(summarise(graph, taskId, why, textsOf, isOver), pace);
}

/** Of one task, or of all in memory. @throws BoundaryError NOT_FOUND */
export async function spikesAnswer(
  graph: GraphReader,
  taskId: string | undefined,
  pace: Turns,
): Promise<SpikesAnswer> {
  if (taskId !== undefined && graph.nodesOfTask(taskId).size === 0) {
    throw new BoundaryError('NOT_FOUND', 'taskId: no task with this id is known');
  }
  const taskIds = taskId === undefined ? graph.taskIds() : [taskId];
  return wholeInTurns(
    findSpikes(graph, taskIds, () => pace.isOver),
    pace,
  );
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
