import type { ExplanationGraph, ExplanationNode } from '../model/node.ts';
import { inSteps, withRests } from './rests.ts';

/** What is drawn of a graph. */
export type Drawing = Pick<ExplanationGraph, 'nodes' | 'edges'>;

/** The parts of a drawing: a frame for each task. */
export interface Frames {
  /** Tasks in the order of their first node, nodes in the order of the graph. */
  readonly tasks: ReadonlyMap<string, readonly ExplanationNode[]>;
  /** A short name for each node's id: ids hold any signs, and D2 takes `N1` and `n1` for one. */
  readonly names: ReadonlyMap<string, string>;
}

export function* framesOf({ nodes }: Drawing): Generator<string, Frames> {
  const tasks = new Map<string, ExplanationNode[]>();
  const names = new Map<string, string>();
  yield* withRests(
    inSteps(nodes, (node) => {
      const task = tasks.get(node.taskId);
      if (task) task.push(node);
      else tasks.set(node.taskId, [node]);
      names.set(node.id, `n${names.size}`);
    }),
  );
  return { tasks, names };
}
