import { seldom, type IsOver, type Work } from '../base/in-turns.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import { endOf, hasFailed } from '../model/failure.ts';
import { isAfter, startOf, timesOf } from '../model/in-time.ts';
import type { ExplanationNode } from '../model/node.ts';
import { byEnd } from '../model/node-order.ts';
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
    const well = lastWell.get(doing(node));
    (well && isAfter(timesOf(well), timesOf(node)) ? recovered : open).push(node);
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

/** By what was done: the last step of it that went well, and began before the step asked about had ended. */
function* lastWellIn(
  graph: GraphReader,
  asked: ExplanationNode,
  failed: readonly ExplanationNode[],
  isOver: IsOver,
): Work<ReadonlyMap<string, ExplanationNode>> {
  const isRest = seldom(isOver);
  const wanted = new Set(failed.map(doing));
  const last = new Map<string, ExplanationNode>();
  if (wanted.size === 0) return last;
  const ended = asked.state === 'RUNNING' ? Infinity : endOf(asked);
  const isWell = (node: ExplanationNode): boolean => node.status === 'OK' && wanted.has(doing(node));
  for (const node of yield* nodesOfTask(graph, asked.taskId, isWell, isOver)) {
    const key = doing(node);
    const other = last.get(key);
    if (startOf(node) <= ended && (!other || startOf(other) < startOf(node))) last.set(key, node);
    if (isRest()) yield;
  }
  return last;
}

/** Who did what: an agent calls the same tool, or a step of the same name, again. */
function doing(node: ExplanationNode): string {
  return JSON.stringify([node.agent, node.type, toolOf(node)]);
}
