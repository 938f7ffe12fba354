import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edge, node } from '../../test/client/fake-transport.ts';
import { FOLD_LIMITS } from '../../test/support/make-engine.ts';
import { atOnce, NEVER_OVER } from '../base/in-turns.ts';
import { ManualClock } from '../base/clock.ts';
import { CausalGraph } from '../graph/causal-graph.ts';
import { TaskFolds } from '../pruning/task-folds.ts';
import { EVERYTHING } from './recall/wanted.ts';
import { View } from './view.ts';

test('[SU18] who waits for a view that another has made leaves what changed since to be told to its readers', () => {
  const graph = new CausalGraph();
  for (const id of ['a', 'b', 'c']) graph.putNode(node(id));
  graph.putInEdges('b', [edge('a', 'b')]);
  const folds = new TaskFolds(graph, FOLD_LIMITS, new ManualClock(), () => graph.takeChanges().log);
  folds.settle();
  const view = new View({ graph, folds }, EVERYTHING, (shown) => shown);
  const slow = view.make(
    () => true,
    () => {},
  );
  slow.next();
  atOnce(view.make(NEVER_OVER, () => {}));
  // Its readers have seen it, and now one of its nodes goes.
  const [taskId] = graph.taskIds();
  graph.dropNode('c');
  view.note([taskId ?? '']);
  folds.settle();
  atOnce(slow);
  assert.deepEqual(view.refresh('')?.removedNodeIds, ['c']);
});
