import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { edge, node } from '../../../test/client/fake-transport.ts';
import { cellOf } from '../../../test/support/cell-of.ts';
import { makeEngine } from '../../../test/support/make-engine.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { span } from '../../../test/support/records.ts';
import { batchOf } from '../../../test/support/world.ts';
import { ManualClock } from '../../base/clock.ts';
import { Pace } from '../../base/pace.ts';
import type { Transport } from '../../client/transport.ts';
import { EXPORT_FORMATS, exportGraph } from '../../exporters/export-graph.ts';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../../model/node.ts';
import type { TaskOverview } from '../../model/task-overview.ts';
import { GatewayAnswers } from '../answers/gateway-answers.ts';
import type { CellAnswers } from '../answers/asked-cell.ts';
import { graphProblem } from './check-told.ts';
import { checkedAnswers } from './checked-answers.ts';

const graphOf = (nodes: readonly ExplanationNode[], edges: readonly ExplanationEdge[]): ExplanationGraph => ({
  nodes,
  edges,
  lastUpdated: '',
});
const [a, b, c] = ['a', 'b', 'c'].map((id) => node(id)) as [
  ExplanationNode,
  ExplanationNode,
  ExplanationNode,
];
const only = (id: string): ExplanationNode => ({ id }) as ExplanationNode;

/** A gateway over a cell with one step in the task `t`, and one that says what the test lets it say. */
async function gatewayOver(
  t: { after(fn: () => void): void },
  lies: Partial<CellAnswers>,
): Promise<GatewayAnswers> {
  const { engine, clock } = makeEngine();
  t.after(() => engine.stop());
  await engine.correlator.consume(batchOf([span(1, { attrs: { taskID: 't' } })]));
  clock.advance(100);
  const { answers } = cellOf('liar', makeEngine().engine, lies);
  const liar = { name: 'liar', answers: checkedAnswers(answers as Transport) };
  const own = new ManualClock();
  return new GatewayAnswers({
    cells: () => [cellOf('honest', engine), liar],
    clock: own,
    pace: new Pace(own).of('readers'),
  });
}

test('[GA13] a graph of a cell that is none is not shown, and the cell is named', async (t) => {
  const wrong: readonly (readonly [ExplanationGraph, RegExp])[] = [
    [graphOf([a, b, c], [edge('a', 'b'), edge('b', 'c'), edge('c', 'a')]), /edges in a circle/],
    [graphOf([a], [edge('a', 'a')]), /edges in a circle/],
    [graphOf([a], [edge('a', 'b')]), /an edge without both its nodes/],
    [graphOf([only('x')], []), /a node without its fields/],
    [graphOf([{ ...a, tokensIn: NaN }], []), /a node without its fields/],
    [graphOf([{ ...a, timestamp: 'today' }], []), /a node without its fields/],
    [graphOf([{ ...a, type: 'SUMMARY' }], []), /a summary that says nothing/],
    [
      graphOf([a, b], [{ ...edge('a', 'b'), relation: undefined } as unknown as ExplanationEdge]),
      /an edge without its fields/,
    ],
  ];
  for (const [lie, reason] of wrong) {
    const gateway = await gatewayOver(t, { getGraph: () => Promise.resolve(lie) });
    const graph = await gateway.getGraph({ collapse: 'none' });
    assert.deepEqual(
      graph.nodes.map(({ taskId }) => taskId),
      ['t'],
    );
    assert.match(graph.notices?.join('\n') ?? '', new RegExp(`liar \\(it sends ${reason.source}`));
    for (const format of EXPORT_FORMATS) exportGraph(graph, format);
  }
});

test('[GA13] what passes is a graph: nodes and edges whole, no loose end, no circle', () => {
  const ids = fc.constantFrom<string[]>('1', '2', '3', '4', '5');
  const links = fc.array(fc.tuple(ids, ids).map(([from, to]) => edge(from, to)));
  fc.assert(
    fc.property(fc.uniqueArray(ids), links, (nodes, edges) => {
      const problem = graphProblem(
        graphOf(
          nodes.map((id) => node(id)),
          edges,
        ),
      );
      // As it is said: none of the nodes is met again on a way along the edges.
      const reached = (from: string, seen: ReadonlySet<string>): boolean =>
        edges.some(
          (one) => one.from === from && (seen.has(one.to) || reached(one.to, new Set([...seen, one.to]))),
        );
      const isLoose = edges.some(({ from, to }) => !nodes.includes(from) || !nodes.includes(to));
      const isWrong = isLoose || edges.some(({ from }) => reached(from, new Set([from])));
      assert.equal(problem !== undefined, isWrong);
    }),
    propertyRuns(),
  );
});

test('[GA13] tasks, hits, nodes and what else a cell answers are checked alike', async (t) => {
  const task = { taskId: '', agents: [], activity: [], types: {} } as unknown as TaskOverview;
  const gateway = await gatewayOver(t, {
    findTasks: () => Promise.resolve({ tasks: [task] }),
    search: () =>
      Promise.resolve({ hits: [{ taskId: 't', nodeId: 'n', field: 'name', start: NaN, end: 1, text: 'x' }] }),
    getNode: () => Promise.resolve({ node: only('n') }),
  });
  const tasks = await gateway.listTasks({});
  assert.deepEqual([tasks.tasks.length, tasks.notices?.length], [1, 1]);
  assert.match(tasks.notices?.[0] ?? '', /liar \(it sends a task without its fields\)/);
  const found = await gateway.search({ text: 'step' });
  assert.match(found.notices?.[0] ?? '', /liar \(it sends a hit without its fields\)/);
  await assert.rejects(gateway.getNode('n'), {
    code: 'UNAVAILABLE',
    message: /liar \(it sends a node without/,
  });
});

test('[GA13] a cursor of a cell that is none is a fault of the cell, not of who asks', async (t) => {
  const task = (await (await gatewayOver(t, {})).listTasks({})).tasks[0] as TaskOverview;
  const tasks = Array.from({ length: 3 }, (_, n) => ({ ...task, taskId: `lie-${n}` }));
  for (const nextCursor of ['none', '', 'WzFd']) {
    const gateway = await gatewayOver(t, {
      findTasks: () => Promise.resolve({ tasks, nextCursor }),
      search: () => Promise.resolve({ hits: [], nextCursor }),
    });
    const page = await gateway.listTasks({ limit: 10 });
    assert.deepEqual(
      page.tasks.map(({ taskId }) => taskId),
      ['t'],
    );
    assert.match(page.notices?.[0] ?? '', /liar \(it sends a cursor that is none\)/);
    const found = await gateway.search({ text: 'step' });
    assert.match(found.notices?.[0] ?? '', /liar \(it sends a cursor that is none\)/);
  }
});

test('[GA14] of the notices of a cell the first twenty are told, each with its first thousand characters', async (t) => {
  const notices = Array.from({ length: 1000 }, (_, n) => `${n} ${'!'.repeat(100_000)}`);
  const gateway = await gatewayOver(t, {
    getGraph: () => Promise.resolve({ ...graphOf([a], []), notices }),
    prune: () => Promise.resolve({ prunedNodes: 0, notices }),
  });
  const graph = await gateway.getGraph({});
  assert.equal(graph.notices?.filter((notice) => notice.endsWith('!…')).length, 20);
  assert.ok(graph.notices?.every(({ length }) => length <= 1000));
});
