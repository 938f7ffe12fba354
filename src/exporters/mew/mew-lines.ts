import type { Work } from '../../base/in-turns.ts';
import { fromNothing, type ExplanationGraph, type ExplanationNode } from '../../model/node.ts';
import type { NodeDetail } from '../../model/reader-messages.ts';
import { STEP_ITEMS } from '../rests.ts';
import { MewTask } from './mew-task.ts';

/**
 * A graph as messages of MEW, one a line, task by task in the order in which things happened; an empty piece lets others
 * have their turn. Each message is from the agent of its step.
 */
export async function* mewLines(
  { nodes, edges, lastUpdated }: ExplanationGraph,
  detail: (nodeId: string) => Promise<NodeDetail | undefined>,
): AsyncGenerator<string, void> {
  const tasks = Map.groupBy(nodes, ({ taskId }) => taskId);
  const taskOf = new Map(nodes.map(({ id, taskId }) => [id, taskId]));
  const within = Map.groupBy(edges, ({ to }) => taskOf.get(to));
  for (const [taskId, own] of tasks) {
    const task = new MewTask(taskId, ({ agent }: ExplanationNode) => agent);
    for (const some of slices(own)) {
      task.change(fromNothing({ nodes: some, edges: [], lastUpdated }));
      yield '';
    }
    for (const some of slices(within.get(taskId) ?? [])) {
      task.change(fromNothing({ nodes: [], edges: some, lastUpdated }));
      yield '';
    }
    const moments = yield* rested(task.takeMoments(() => true));
    for (const moment of moments) {
      const found = await detail(moment.node.id);
      // It was erased meanwhile.
      if (!found) continue;
      for (const message of task.tell(moment, found.texts ?? {})) yield `${JSON.stringify(message)}\n`;
    }
    if (!task.graph.isRunning) for (const message of task.finish()) yield `${JSON.stringify(message)}\n`;
  }
}

function* slices<T>(items: readonly T[]): Generator<readonly T[], void> {
  for (let at = 0; at < items.length; at += STEP_ITEMS) yield items.slice(at, at + STEP_ITEMS);
}

function* rested<T>(work: Work<T>): Generator<string, T> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    yield '';
  }
}
