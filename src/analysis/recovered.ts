import { seldom, type IsOver, type Work } from '../base/in-turns.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import { endOf, hasFailed } from '../model/failure.ts';
import { startOf } from '../model/in-time.ts';
import type { ExplanationNode } from '../model/node.ts';
import { byEnd } from '../model/node-order.ts';
import { Recovery } from '../model/recovery.ts';
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
  const recovery = found.length > 0 ? yield* recoveryUntil(graph, asked, isOver) : new Recovery();
  const open: ExplanationNode[] = [];
  const recovered: ExplanationNode[] = [];
  for (const node of found) (recovery.wentWell(node) ? recovered : open).push(node);
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

/** What went well in the task, as far as it began before the step asked about had ended. */
function* recoveryUntil(graph: GraphReader, asked: ExplanationNode, isOver: IsOver): Work<Recovery> {
  const isRest = seldom(isOver);
  const recovery = new Recovery();
  const ended = asked.state === 'RUNNING' ? Infinity : endOf(asked);
  const isInTime = (node: ExplanationNode): boolean => node.status === 'OK' && startOf(node) <= ended;
  for (const node of yield* nodesOfTask(graph, asked.taskId, isInTime, isOver)) {
    recovery.addWell(node);
    if (isRest()) yield;
  }
  return recovery;
}
