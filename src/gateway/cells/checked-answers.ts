import type { Transport } from '../../client/transport.ts';
import type { ExplanationGraph } from '../../model/node.ts';
import { searchPlaceAt } from '../../subscriptions/search-place.ts';
import { placeAt } from '../../subscriptions/task-order.ts';
import {
  assertTold,
  edgeProblem,
  firstProblem,
  graphProblem,
  hitProblem,
  nodeProblem,
  taskProblem,
  withFewNotices,
} from './check-told.ts';

/** A way to a cell whose single answers are checked; what feeds bring is checked where it is put together. */
export function checkedAnswers(cell: Transport): Transport {
  return {
    openFeed: (request, listener) => cell.openFeed(request, listener),
    annotate: (nodeId, given) => cell.annotate(nodeId, given),
    close: () => cell.close(),
    getGraph: async (request) => checkedGraph(await cell.getGraph(request)),
    getNode: async (nodeId, page) => {
      const detail = await cell.getNode(nodeId, page);
      const { node, members = [], memberEdges = [] } = detail;
      assertTold(firstProblem([node, ...members], nodeProblem) ?? firstProblem(memberEdges, edgeProblem));
      return withFewNotices(detail);
    },
    findTasks: async (query) => {
      const page = await cell.findTasks(query);
      const { nextCursor } = page;
      assertTold(firstProblem(page.tasks, taskProblem));
      assertCursor(() => nextCursor === undefined || placeAt(nextCursor, query.sort ?? 'newest'));
      return withFewNotices(page);
    },
    search: async (query) => {
      const page = await cell.search(query);
      const { nextCursor } = page;
      assertTold(firstProblem(page.hits, hitProblem));
      assertCursor(() => nextCursor === undefined || searchPlaceAt(nextCursor));
      return withFewNotices(page);
    },
    why: async (question) => {
      const answer = await cell.why(question);
      return withFewNotices({ ...answer, graph: checkedGraph(answer.graph) });
    },
    spikes: async (taskId) => {
      const answer = await cell.spikes(taskId);
      const isWhole = answer.spikes.every(
        ({ nodeId, value }) => nodeId !== undefined && Number.isFinite(value),
      );
      assertTold(isWhole ? undefined : 'a spike without its figures');
      return withFewNotices(answer);
    },
    compare: async (a, b) => {
      const answer = await cell.compare(a, b);
      assertTold(firstProblem(answer.nodes, nodeProblem));
      return withFewNotices(answer);
    },
    patterns: async (filters) => withFewNotices(await cell.patterns(filters)),
    summary: async (taskId) => withFewNotices(await cell.summary(taskId)),
    prune: async (olderThanMinutes) => withFewNotices(await cell.prune(olderThanMinutes)),
  };
}

function checkedGraph(graph: ExplanationGraph): ExplanationGraph {
  assertTold(graphProblem(graph));
  return withFewNotices(graph);
}

/** That the cursor of a cell is none is no mistake of whoever asked. */
function assertCursor(read: () => unknown): void {
  try {
    read();
  } catch {
    assertTold('a cursor that is none');
  }
}
