import { seldom, type IsOver, type Work } from '../base/in-turns.ts';
import { sorted } from '../base/sorted.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { ExplanationNode } from '../model/node.ts';
import { byStart } from '../model/node-order.ts';
import { TaskSums, type TaskOverview } from '../model/task-overview.ts';

/** A step with what is inside it, by start. */
export interface TreeStep {
  readonly node: ExplanationNode;
  readonly inside: readonly TreeStep[];
}

/** The steps of a task as they contain one another. Thoughts and whatever else is part of a step belong to it. */
export interface StepTree {
  /** Those that nothing of the task contains. */
  readonly tops: readonly TreeStep[];
  /** All of them; whatever contains a step stands before it. */
  readonly steps: readonly TreeStep[];
  /** Of all nodes. */
  readonly overview: TaskOverview;
  /** Sorted. */
  readonly models: readonly string[];
  /** The failed step nearest the top, the latest of several, an error before a warning. */
  readonly failed: ExplanationNode | undefined;
}

/** What leaves the task meanwhile may be in it or not. */
export function* stepTree(graph: GraphReader, taskId: string, isOver: IsOver): Work<StepTree> {
  const isRest = seldom(isOver);
  const sums = new TaskSums();
  const models = new Set<string>();
  const nodes: ExplanationNode[] = [];
  for (const id of Array.from(graph.nodesOfTask(taskId))) {
    const node = graph.node(id);
    if (node?.taskId !== taskId) continue;
    sums.add(node, graph.treeParent(id) === undefined);
    if (node.model !== undefined) models.add(node.model);
    if (node.details?.['partOf'] === undefined) nodes.push(node);
    if (isRest()) yield;
  }
  const byId = new Map<string, { readonly node: ExplanationNode; readonly inside: TreeStep[] }>();
  for (const node of yield* sorted(nodes, byStart, isOver)) byId.set(node.id, { node, inside: [] });
  const tops: TreeStep[] = [];
  for (const [id, step] of byId) {
    (byId.get(graph.treeParent(id) ?? '')?.inside ?? tops).push(step);
    if (isRest()) yield;
  }
  const levels = yield* levelsOf(tops, isOver);
  return {
    tops,
    steps: levels.flat(),
    overview: sums.overview(taskId),
    models: [...models].sort(),
    failed: failedIn(levels, 'ERROR') ?? failedIn(levels, 'WARNING'),
  };
}

function* levelsOf(tops: readonly TreeStep[], isOver: IsOver): Work<readonly (readonly TreeStep[])[]> {
  const levels: (readonly TreeStep[])[] = [];
  for (let level = tops; level.length > 0; level = level.flatMap(({ inside }) => inside)) {
    levels.push(level);
    if (isOver()) yield;
  }
  return levels;
}

function failedIn(
  levels: readonly (readonly TreeStep[])[],
  status: 'ERROR' | 'WARNING',
): ExplanationNode | undefined {
  const nearest = levels.find((level) => level.some(({ node }) => node.status === status));
  return nearest
    ?.map(({ node }) => node)
    .filter((node) => node.status === status)
    .reduce((latest, node) => (byStart(node, latest) > 0 ? node : latest));
}
