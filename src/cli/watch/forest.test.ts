import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GraphMirror } from '../../client/graph-mirror.ts';
import type { ExplanationGraph } from '../../model/node.ts';
import { Forest } from './forest.ts';
import { RowList, taskKey } from './row-list.ts';
import { buildTaskTree, type TaskTree } from './task-tree.ts';
import { edge, node } from './watch.test-support.ts';

function outline({ rows }: TaskTree): readonly string[] {
  return rows.map((row) => row.guides + row.node.id);
}

test('[CLI40] steps hang from what they came from, in the order in which they began', () => {
  const nodes = [node('root', 0), node('b', 2), node('a', 1), node('a1', 3), node('lone', 9)];
  const edges = [edge('root', 'a'), edge('root', 'b'), edge('a', 'a1')];
  const tree = buildTaskTree('T1', nodes, (id) => edges.filter((one) => one.to === id));
  assert.deepEqual(outline(tree), ['root', '├ a', '│ └ a1', '└ b', 'lone']);
});

test('[CLI40] of several edges the strongest evidence decides, and a bridge comes last', () => {
  const nodes = [node('a', 0), node('b', 1), node('c', 2)];
  const edges = [
    edge('a', 'c', { evidence: 'inferred' }),
    edge('b', 'c', { evidence: 'link', relation: 'TRIGGERED' }),
    edge('a', 'c', { id: 'bridge', bridged: true }),
    edge('elsewhere', 'b'),
  ];
  const tree = buildTaskTree('T1', nodes, (id) => edges.filter((one) => one.to === id));
  assert.deepEqual(outline(tree), ['a', 'b', '└ c']);
});

test('[CLI41] a chain of 20,000 steps is shown, its lines cut to the near end', () => {
  const nodes = Array.from({ length: 20_000 }, (_, index) => node(`n${index}`, index));
  const tree = buildTaskTree('T1', nodes, (id) => {
    const index = Number(id.slice(1));
    return index === 0 ? [] : [edge(`n${index - 1}`, id)];
  });
  assert.equal(tree.rows.length, 20_000);
  assert.ok(tree.rows.every((row) => row.guides.length <= 24));
  assert.match(tree.rows.at(-1)?.guides ?? '', /^….*└ $/);
});

test('[CLI42] totals count failures, what summaries hold, and only known costs', () => {
  const nodes = [
    node('a', 0, { status: 'ERROR', costUsd: 0.5 }),
    node('b', 1, { status: 'WARNING', state: 'RUNNING' }),
    node('s', 2, {
      type: 'SUMMARY',
      summary: { count: 7, types: {}, reason: 'routine', totalCostUsd: 0.25 },
    }),
  ];
  const { totals } = buildTaskTree('T1', nodes, () => []);
  assert.deepEqual(totals, { nodes: 9, errors: 1, warnings: 1, running: 1, costUsd: 0.75 });
  assert.equal(buildTaskTree('T1', [node('a', 0)], () => []).totals.costUsd, undefined);
});

/** Graphs over a few ids, so that nodes come, change, go, and move between tasks. */
const anyGraph: fc.Arbitrary<ExplanationGraph> = fc
  .record({
    nodes: fc.uniqueArray(
      fc.record({ id: fc.nat(9), second: fc.nat(5), task: fc.constantFrom('T1', 'T2') }),
      { selector: ({ id }) => id, maxLength: 10 },
    ),
    edges: fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 12 }),
  })
  .map(({ nodes, edges }) => ({
    nodes: nodes.map(({ id, second, task }) => node(String(id), second, { taskId: task })),
    edges: [
      ...new Map(
        edges
          .filter(([from, to]) => from < to)
          .map(([from, to]) => [`${from}>${to}`, edge(String(from), String(to))]),
      ).values(),
    ],
    lastUpdated: '2025-06-20T14:00:00.000Z',
  }));

test('[CLI41] the trees after any changes are those of a fresh graph', () => {
  fc.assert(
    fc.property(fc.array(anyGraph, { minLength: 1, maxLength: 5 }), (graphs) => {
      const mirror = new GraphMirror();
      const forest = new Forest(mirror.graph);
      for (const graph of graphs) {
        const change = mirror.replace(graph);
        if (change !== undefined) forest.apply(change);
        assert.deepEqual(forest.trees, new Forest(mirror.graph).trees);
        assert.equal(forest.totals.nodes, mirror.graph.order);
      }
    }),
  );
});

test('[CLI43] the rows are the tasks, each with its steps unless it is folded, found by place and by key', () => {
  const trees = ['T1', 'T2', 'T3'].map((taskId, index) =>
    buildTaskTree(
      taskId,
      [node(`${taskId}a`, index, { taskId }), node(`${taskId}b`, index, { taskId })],
      () => [],
    ),
  );
  const rows = new RowList(trees, new Set(['T2']));
  const keys = Array.from({ length: rows.length }, (_, index) => rows.at(index)?.key);
  const expected = [taskKey('T1'), 'T1a', 'T1b', taskKey('T2'), taskKey('T3'), 'T3a', 'T3b'];
  assert.deepEqual(keys, expected);
  for (const [index, key] of expected.entries()) assert.equal(rows.indexOf(key), index);
  assert.equal(rows.indexOf('T2a'), -1);
  assert.equal(rows.at(7), undefined);
  assert.equal(rows.at(-1), undefined);
  assert.equal(new RowList([], new Set()).at(0), undefined);
});
