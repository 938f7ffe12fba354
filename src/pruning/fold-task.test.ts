import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CausalGraph } from '../graph/causal-graph.ts';
import { edgeId } from '../model/ids.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { Fold, FoldLimits } from './fold.ts';
import { foldTask } from './fold-task.ts';

/** The defaults of the founding spec, section 6. */
const LIMITS: FoldLimits = {
  pruneLatencyThresholdMs: 50,
  minCostUsdDetail: 0.0001,
  maxCoTDepth: 5,
  maxNodesPerTask: 500,
};

function call(id: string, fields: Partial<ExplanationNode> = {}): ExplanationNode {
  return {
    id,
    timestamp: '2026-01-01T00:00:00.000Z',
    agent: 'CoderAgent',
    type: 'LLM_CALL',
    name: id,
    taskId: 't',
    state: 'ENDED',
    status: 'OK',
    latencyMs: 30,
    costUsd: 0.00001,
    ...fields,
  };
}

type Line = readonly [node: ExplanationNode, parent?: string];

function graphOf(lines: readonly Line[]): CausalGraph {
  const graph = new CausalGraph();
  for (const [node] of lines) graph.putNode(node);
  for (const [{ id }, parent] of lines) {
    if (parent === undefined) continue;
    const edge = { from: parent, to: id, relation: 'NEXT_STEP', evidence: 'parentSpanId' } as const;
    graph.putInEdges(id, [{ id: edgeId(parent, 'NEXT_STEP', id), ...edge }]);
  }
  return graph;
}

const ROOT: Line = [call('root', { type: 'OTHER', latencyMs: 500 })];

/** A root with these steps below it. */
function under(...steps: readonly ExplanationNode[]): CausalGraph {
  return graphOf([ROOT, ...steps.map((step): Line => [step, 'root'])]);
}

function foldOf(graph: CausalGraph, limits: Partial<FoldLimits> = {}): Fold {
  return foldTask(graph, 't', { ...LIMITS, ...limits });
}

function foldedIn(graph: CausalGraph, limits: Partial<FoldLimits> = {}): string[] {
  return [...foldOf(graph, limits).summaryOf.keys()].sort();
}

const dull = (count: number): ExplanationNode[] => Array.from({ length: count }, (_, i) => call(`d${i}`));

test('[PR1] five fast, cheap calls become one summary, labelled as the founding spec says', () => {
  const { groups, summaryOf, notice } = foldOf(
    under(...dull(5).map((node, i) => ({ ...node, latencyMs: 10 + i * 10, tokensIn: 1, tokensOut: 2 }))),
    { pruneLatencyThresholdMs: 51 },
  );
  assert.equal(notice, undefined);
  assert.deepEqual([...groups.keys()], ['summary:root']);
  const summary = groups.get('summary:root')?.summary;
  assert.equal(summary?.name, 'Routine LLM calls (n=5, avg latency 30 ms)');
  assert.equal(summary.type, 'SUMMARY');
  assert.equal(summary.agent, 'CoderAgent');
  assert.equal(summary.taskId, 't');
  assert.deepEqual(summary.summary, {
    count: 5,
    avgLatencyMs: 30,
    totalCostUsd: 0.00005,
    tokensIn: 5,
    tokensOut: 10,
    types: { LLM_CALL: 5 },
    reason: 'routine',
  });
  assert.deepEqual([...summaryOf.keys()].sort(), ['d0', 'd1', 'd2', 'd3', 'd4']);
});

test('[PR1] a summary of several kinds and agents says so', () => {
  const graph = under(call('a'), call('b', { type: 'TOOL_CALL', agent: 'CriticAgent' }));
  const summary = foldOf(graph).groups.get('summary:root')?.summary;
  assert.equal(summary?.name, 'Routine steps (n=2, avg latency 30 ms)');
  assert.equal(summary.agent, 'ExplainabilityAgent');
  assert.deepEqual(summary.summary?.types, { LLM_CALL: 1, TOOL_CALL: 1 });
});

test('[PR1] a single dull step is shown: a group of one is no gain', () => {
  assert.deepEqual(foldedIn(under(call('a'))), []);
});

const NOTABLE: readonly (readonly [string, Partial<ExplanationNode>])[] = [
  ['an error', { status: 'ERROR' }],
  ['a warning', { status: 'WARNING' }],
  ['a running step', { state: 'RUNNING' }],
  ['an abandoned step', { state: 'ABANDONED' }],
  ['a model switch', { type: 'MODEL_SWITCH' }],
  ['a reflexion action', { type: 'REFLEXION_ACTION' }],
  ['a user query', { type: 'USER_QUERY' }],
];

for (const [what, fields] of NOTABLE) {
  test(`[PR2] ${what} is never routine, nor is what led to it`, () => {
    const graph = graphOf([
      ROOT,
      ...dull(2).map((node): Line => [node, 'root']),
      [call('way'), 'root'],
      [call('notable', fields), 'way'],
      [call('after1'), 'notable'],
      [call('after2'), 'notable'],
    ]);
    assert.deepEqual(foldedIn(graph), ['after1', 'after2', 'd0', 'd1']);
  });
}

test('[PR2] what leads to a step of another task stays', () => {
  const other: Line = [call('x', { taskId: 'u' }), 'a'];
  assert.deepEqual(foldedIn(graphOf([ROOT, [call('a'), 'root'], [call('b'), 'root'], other])), []);
});

test('[PR3] unknown latency is not routine; unknown cost is; the thresholds themselves are shown', () => {
  const { latencyMs: _, ...untimed } = call('untimed');
  const { costUsd: __, ...priceless } = call('priceless');
  const graph = under(
    untimed,
    priceless,
    call('slow', { latencyMs: 50 }),
    call('dear', { costUsd: 0.0001 }),
    call('fast', { latencyMs: 49.9, costUsd: 0.0000999 }),
  );
  assert.deepEqual(foldedIn(graph), ['fast', 'priceless']);
});

test('[PR4] where a run begins stays in sight, however dull it is', () => {
  const chain: Line[] = [[call('a')], [call('b'), 'a'], [call('c'), 'b'], [call('lonely')]];
  assert.deepEqual(foldedIn(graphOf(chain)), ['b', 'c']);
});

test('[PR5] thoughts nested deeper than maxCoTDepth are folded, whatever they cost, but not errors', () => {
  const costly = { latencyMs: 900, costUsd: 1 };
  const chain = (last: Partial<ExplanationNode>): CausalGraph =>
    graphOf(
      Array.from({ length: 8 }, (_, i): Line => {
        const node = call(`c${i + 1}`, { ...costly, ...(i === 7 && last) });
        return i === 0 ? [node] : [node, `c${i}`];
      }),
    );
  assert.deepEqual(foldedIn(chain({})), ['c6', 'c7', 'c8']);
  assert.deepEqual(foldedIn(chain({}), { maxCoTDepth: 6 }), ['c7', 'c8']);
  assert.deepEqual(foldedIn(chain({ status: 'ERROR' })), []);
});

test('[PR5] steps that are no thoughts do not count as nesting', () => {
  const chain = Array.from({ length: 8 }, (_, i): Line => {
    const node = call(`c${i}`, { type: 'TOOL_CALL', latencyMs: 900 });
    return i === 0 ? [node] : [node, `c${i - 1}`];
  });
  assert.deepEqual(foldedIn(graphOf(chain)), []);
});

/** How many nodes a reader sees. */
function shown(graph: CausalGraph, fold: Fold): number {
  const nodes = graph.nodesOfTask('t').size;
  return nodes - fold.summaryOf.size + fold.groups.size + (fold.notice ? 1 : 0);
}

const slow = { latencyMs: 900, costUsd: 1 };
const SHAPES: readonly (readonly [string, (i: number) => string | undefined])[] = [
  ['a star', (i) => (i === 0 ? undefined : 'n0')],
  ['a chain', (i) => (i === 0 ? undefined : `n${i - 1}`)],
  ['a tree', (i) => (i === 0 ? undefined : `n${Math.floor((i - 1) / 3)}`)],
  ['roots alone', () => undefined],
];

for (const [shape, parentOf] of SHAPES) {
  test(`[PR6] of 1,000 nodes in ${shape} at most maxNodesPerTask are shown, the notice included`, () => {
    const graph = graphOf(
      Array.from({ length: 1000 }, (_, i): Line => {
        const parent = parentOf(i);
        const node = call(`n${i}`, slow);
        return parent === undefined ? [node] : [node, parent];
      }),
    );
    for (const maxNodesPerTask of [3, 10, 500, 999]) {
      const fold = foldOf(graph, { maxNodesPerTask, maxCoTDepth: 2000 });
      assert.ok(shown(graph, fold) <= maxNodesPerTask, `${shown(graph, fold)} of ${maxNodesPerTask}`);
      assert.equal(fold.notice?.id, 'notice:t');
      assert.match(fold.notice.name, new RegExp(`^Graph truncated: over ${maxNodesPerTask} nodes`));
      assert.equal(fold.notice.details?.['nodes'], 1000);
    }
    assert.equal(foldOf(graph, { maxNodesPerTask: 1000, maxCoTDepth: 2000 }).notice, undefined);
  });
}

test('[PR6] over the limit the important nodes stay, each with its way from the root', () => {
  const lines = Array.from({ length: 100 }, (_, i): Line => [call(`n${i}`, slow), 'root']);
  const graph = graphOf([
    ROOT,
    ...lines,
    [call('way', slow), 'root'],
    [call('bad', { status: 'ERROR' }), 'way'],
  ]);
  const folded = new Set(foldedIn(graph, { maxNodesPerTask: 10 }));
  for (const id of ['root', 'way', 'bad']) assert.ok(!folded.has(id), id);
  assert.equal(
    foldOf(graph, { maxNodesPerTask: 10 }).groups.get('summary:root')?.summary.summary?.reason,
    'limit',
  );
});

test('[PR7] the order in which nodes came does not matter', () => {
  const lines: Line[] = [
    ROOT,
    ...dull(6).map((node): Line => [node, 'root']),
    [call('e', { status: 'ERROR' }), 'd3'],
  ];
  const forward = foldOf(graphOf(lines));
  const backward = foldOf(graphOf(lines.toReversed()));
  const plain = (fold: Fold): unknown =>
    [...fold.groups].map(([id, { summary, members }]) => [id, summary, members.toSorted()]);
  assert.deepEqual(plain(backward), plain(forward));
});
