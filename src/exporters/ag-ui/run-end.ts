import { seldom, type IsOver, type Work } from '../../base/in-turns.ts';
import type { ExplanationNode } from '../../model/node.ts';
import { byStart } from '../../model/node-order.ts';
import { TaskSums, type TaskOverview } from '../../model/task-overview.ts';
import type { TokenUsage } from './events.ts';
import type { TaskGraph } from './task-graph.ts';

/** What a task came to. */
export interface TaskEnd {
  readonly overview: TaskOverview;
  readonly usage: readonly TokenUsage[];
  /** Where it failed, if it did: the failed step nearest to a root, the latest of several. */
  readonly failed: ExplanationNode | undefined;
}

/** Sums up a task. It failed when a step did, unless all that failed went well when it was done again. */
export function* taskEnd(graph: TaskGraph, taskId: string, isOver: IsOver): Work<TaskEnd> {
  const isRest = seldom(isOver);
  const sums = new TaskSums();
  const usage = new Map<string, TokenUsage>();
  const depths = new Map<string, number>();
  let failed: { readonly node: ExplanationNode; readonly depth: number } | undefined;
  for (const node of graph.nodes()) {
    sums.add(node, graph.parentOf(node.id) === undefined);
    addUsage(usage, node);
    if (node.status === 'ERROR') {
      const depth = depthOf(graph, node.id, depths);
      const isLater = depth === failed?.depth && byStart(node, failed.node) > 0;
      if (failed === undefined || depth < failed.depth || isLater) failed = { node, depth };
    }
    if (isRest()) yield;
  }
  const overview = sums.overview(taskId);
  return {
    overview,
    usage: [...usage.values()],
    failed: overview.recovered === true ? undefined : failed?.node,
  };
}

function addUsage(
  usage: Map<string, TokenUsage>,
  { model, tokensIn, tokensOut, details }: ExplanationNode,
): void {
  if (tokensIn === undefined && tokensOut === undefined) return;
  const provider = details?.['provider'];
  const key = JSON.stringify([provider, model]);
  const { inputTokens, outputTokens } = usage.get(key) ?? {};
  const [sumIn, sumOut] = [plus(inputTokens, tokensIn), plus(outputTokens, tokensOut)];
  usage.set(key, {
    ...(typeof provider === 'string' && { provider }),
    ...(model !== undefined && { model }),
    ...(sumIn !== undefined && { inputTokens: sumIn }),
    ...(sumOut !== undefined && { outputTokens: sumOut }),
    totalTokens: (sumIn ?? 0) + (sumOut ?? 0),
  });
}

function plus(a: number | undefined, b: number | undefined): number | undefined {
  return b === undefined ? a : (a ?? 0) + b;
}

/** How many steps contain it. @param known of those that were asked about: each step up is taken once for all */
function depthOf(graph: TaskGraph, id: string, known: Map<string, number>): number {
  const way: string[] = [];
  let above: string | undefined = id;
  while (above !== undefined && !known.has(above)) {
    way.push(above);
    known.set(above, 0);
    above = graph.parentOf(above)?.id;
  }
  let depth = above === undefined ? -1 : (known.get(above) ?? 0);
  for (const one of way.reverse()) known.set(one, ++depth);
  return depth;
}
