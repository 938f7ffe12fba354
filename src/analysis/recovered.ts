import { seldom, type IsOver, type Work } from '../base/in-turns.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import { endOf, hasFailed } from '../model/failure.ts';
import type { ExplanationNode } from '../model/node.ts';
import { byEnd } from '../model/node-order.ts';
import { parseTime } from '../model/time.ts';
import { toolOf } from './failed-result.ts';
import { nodesOfTask } from './outcome.ts';
import type { WayBack } from './way-back.ts';

/** What failed on the way to a step, but for that step; in order of their ends. */
export interface FailuresOn {
  /** Those that nothing made good, and that contain no such failure: a step that contains others fails when they have. */
  readonly open: readonly ExplanationNode[];
  /** Those that their agent did again, well, before the step asked about had ended. */
  readonly recovered: readonly ExplanationNode[];
  /** Is anything of `open` inside the step asked about? */
  readonly areInside: boolean;
}

/** Errors, else warnings. */
export function* failuresOn(
  way: WayBack,
  graph: GraphReader,
  asked: ExplanationNode,
  isOver: IsOver,
): Work<FailuresOn> {
  const isRest = seldom(isOver);
  const failed = way.nodes.filter(hasFailed);
  const errors = failed.filter(({ status }) => status === 'ERROR');
  const found = (errors.length > 0 ? errors : failed).filter((node) => node !== asked).sort(byEnd);
  const lastWell = yield* lastWellIn(graph, asked, found, isOver);
  const open: ExplanationNode[] = [];
  const recovered: ExplanationNode[] = [];
  for (const node of found) {
    ((lastWell.get(doing(node)) ?? -Infinity) >= Math.floor(endOf(node)) ? recovered : open).push(node);
  }
  const containers = new Set<string>();
  for (const { id } of open) {
    let above = graph.treeParent(id);
    while (above !== undefined && !containers.has(above)) {
      containers.add(above);
      above = graph.treeParent(above);
      if (isRest()) yield;
    }
  }
  const innermost = open.filter(({ id }) => !containers.has(id));
  return { open: innermost, recovered, areInside: containers.has(asked.id) };
}

/** When what failed was last begun by the same agent and went well, before the step asked about had ended. */
function* lastWellIn(
  graph: GraphReader,
  asked: ExplanationNode,
  failed: readonly ExplanationNode[],
  isOver: IsOver,
): Work<ReadonlyMap<string, number>> {
  const isRest = seldom(isOver);
  const wanted = new Set(failed.map(doing));
  const last = new Map<string, number>();
  if (wanted.size === 0) return last;
  const ended = asked.state === 'RUNNING' ? Infinity : endOf(asked);
  const isWell = (node: ExplanationNode): boolean => node.status === 'OK' && wanted.has(doing(node));
  for (const node of yield* nodesOfTask(graph, asked.taskId, isWell, isOver)) {
    const start = parseTime(node.timestamp) ?? 0;
    const key = doing(node);
    if (start <= ended) last.set(key, Math.max(start, last.get(key) ?? -Infinity));
    if (isRest()) yield;
  }
  return last;
}

/** Who did what: an agent calls the same tool, or a step of the same name, again. */
function doing(node: ExplanationNode): string {
  return JSON.stringify([node.agent, node.type, toolOf(node)]);
}
