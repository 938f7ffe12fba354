import { spanKey } from '../../../src/model/ids.ts';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../../../src/model/node.ts';
import type { Recording } from '../recordings/load-recordings.ts';
import { recordedSpans } from '../recordings/recording-spans.ts';
import { spanIdsOf } from '../recordings/shown-recording.ts';

/** A task with what is in it, and whether it is whole wherever its one trace goes. */
export interface TaskParts {
  readonly nodes: readonly ExplanationNode[];
  /** Between two of its nodes. */
  readonly edges: readonly ExplanationEdge[];
  /** All its spans are of one trace, and no edge leads to another task or comes from there. */
  readonly isOfOneTrace: boolean;
}

/** The traces of the spans that a node stands for, or was made from. */
export function tracesOf({ details }: ExplanationNode): readonly string[] {
  const { traceId, traceIds } = details ?? {};
  return [traceId, ...(Array.isArray(traceIds) ? traceIds : [])].filter((id) => typeof id === 'string');
}

/** The tasks of a graph in which nothing is folded. */
export function tasksOf({ nodes, edges }: ExplanationGraph): ReadonlyMap<string, TaskParts> {
  const taskOf = new Map(nodes.map(({ id, taskId }) => [id, taskId]));
  const linked = new Set(
    edges.flatMap(({ from, to }) =>
      taskOf.get(from) === taskOf.get(to) ? [] : [taskOf.get(from), taskOf.get(to)],
    ),
  );
  const found = new Map<string, TaskParts>();
  for (const [task, members] of Map.groupBy(nodes, ({ taskId }) => taskId))
    found.set(task, {
      nodes: members,
      edges: edges.filter(({ from, to }) => taskOf.get(from) === task && taskOf.get(to) === task),
      isOfOneTrace: new Set(members.flatMap(tracesOf)).size === 1 && !linked.has(task),
    });
  return found;
}

/** The recordings all of whose tasks are of one trace, and the others, by name. */
export function kindsOf(
  recordings: readonly Recording[],
  graph: ExplanationGraph,
): { readonly ofOneTrace: readonly string[]; readonly others: readonly string[] } {
  const tasks = tasksOf(graph);
  const taskOfSpan = new Map(
    graph.nodes.flatMap((node) => {
      const traces = tracesOf(node);
      return spanIdsOf(node).flatMap((span) =>
        traces.map((trace) => [spanKey(trace, span), node.taskId] as const),
      );
    }),
  );
  const isOfOneTrace = ({ requests }: Recording): boolean =>
    recordedSpans(requests).every(({ traceId, spanId }) => {
      const task = taskOfSpan.get(spanKey(traceId, spanId));
      return task !== undefined && tasks.get(task)?.isOfOneTrace === true;
    });
  const names = (of: boolean): string[] =>
    recordings.filter((recording) => isOfOneTrace(recording) === of).map(({ name }) => name);
  return { ofOneTrace: names(true), others: names(false) };
}
