import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../base/clock.ts';
import { CausalGraph } from '../graph/causal-graph.ts';
import type { ChangeLog } from '../graph/change-log.ts';
import { edgeId } from '../model/ids.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { Fold, FoldLimits, Group } from './fold.ts';
import { TaskFolds } from './task-folds.ts';

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
    title: id,
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

const logs = new WeakMap<CausalGraph, ChangeLog>();

/** Tells everything that happened to a graph, once; others can be told it again. */
function changesOf(graph: CausalGraph): () => ChangeLog | undefined {
  const log = logs.get(graph) ?? graph.takeChanges().log;
  logs.set(graph, log);
  const told = [log];
  return () => told.pop();
}

const ROOT: Line = [call('root', { type: 'OTHER', latencyMs: 500 })];

/** A root with these steps below it. */
function under(...steps: readonly ExplanationNode[]): CausalGraph {
  return graphOf([ROOT, ...steps.map((step): Line => [step, 'root'])]);
}

function foldOf(graph: CausalGraph, limits: Partial<FoldLimits> = {}): Fold {
  const folds = new TaskFolds(graph, { ...LIMITS, ...limits }, systemClock, changesOf(graph));
  return folds.foldOf('t');
}

function foldedIn(graph: CausalGraph, limits: Partial<FoldLimits> = {}): string[] {
  const { shown } = foldOf(graph, limits);
  return [...graph.nodesOfTask('t')].filter((id) => !shown.has(id)).sort();
}

const dull = (count: number): ExplanationNode[] => Array.from({ length: count }, (_, i) => call(`d${i}`));

test('[PR1] five fast, cheap calls become one summary, labelled as the founding spec says', () => {
  const {
    groups,
    shown: seen,
    notice,
  } = foldOf(
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
  assert.deepEqual([...seen], ['root']);
  assert.deepEqual(groups.get('summary:root')?.members(0, 10), ['d0', 'd1', 'd2', 'd3', 'd4']);
});

test('[PR15] what is to be kept in sight is not folded, nor what led to it, in small tasks and in followed ones', () => {
  const lines: Line[] = [
    ROOT,
    [call('shell'), 'root'],
    [call('inner'), 'shell'],
    ...dull(8).map((d): Line => [d, 'root']),
  ];
  for (const smallTask of [64, 0]) {
    const graph = graphOf(lines);
    const folds = new TaskFolds(graph, { ...LIMITS, smallTask }, systemClock, changesOf(graph));
    assert.deepEqual([...folds.foldOf('t').shown], ['root']);
    assert.equal(folds.keepInSight('t', new Set(['inner', 'd1'])), true);
    assert.equal(folds.keepInSight('t', new Set(['inner', 'd1'])), false);
    assert.deepEqual([...folds.foldOf('t').shown].sort(), ['d1', 'inner', 'root', 'shell']);
    assert.equal(folds.keepInSight('t', new Set(['d2'])), true);
    assert.deepEqual([...folds.foldOf('t').shown].sort(), ['d2', 'root']);
    folds.keepInSight('t', new Set());
    assert.deepEqual([...folds.foldOf('t').shown], ['root']);
  }
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
function shown(fold: Fold): number {
  return fold.shown.size + fold.groups.size + (fold.notice ? 1 : 0);
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
      assert.ok(shown(fold) <= maxNodesPerTask, `${shown(fold)} of ${maxNodesPerTask}`);
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
    [...fold.groups].map(([id, group]) => [id, group.summary, group.members(0, Infinity).toSorted()]);
  assert.deepEqual(plain(backward), plain(forward));
});

test('[PR10] quiet steps alike below one step are a repetition, whatever they take, but those that stand out', () => {
  const alike = (i: number, fields: Partial<ExplanationNode> = {}): ExplanationNode =>
    call(`s${i}`, { type: 'TOOL_CALL', name: 'search', latencyMs: 800, costUsd: 0.01, ...fields });
  const nine = Array.from({ length: 9 }, (_, i) => alike(i));
  assert.deepEqual(foldedIn(under(...nine)), []);
  const graph = under(
    ...nine,
    alike(9),
    alike(10, { latencyMs: 9000 }),
    alike(11, { costUsd: 1 }),
    alike(12, { status: 'ERROR' }),
  );
  assert.deepEqual(
    foldedIn(graph),
    Array.from({ length: 10 }, (_, i) => `s${i}`),
  );
  const summary = foldOf(graph).groups.get('summary:root')?.summary;
  assert.equal(summary?.name, 'Repeated search (10×, n=10, avg latency 800 ms)');
  assert.equal(summary.summary?.reason, 'repeated');
});

test('[PR10] a loop is named by its steps in order; what is inside of a repeated step goes with it', () => {
  const round = (i: number): Line[] =>
    ['plan', 'act', 'observe'].map((name, k): Line => [
      call(`${name}${i}`, { name, latencyMs: 300, timestamp: `2026-01-01T00:00:${10 + i}.00${k}Z` }),
      'root',
    ]);
  const rounds = Array.from({ length: 12 }, (_, i) => round(i)).flat();
  const fold = foldOf(graphOf([ROOT, ...rounds, [call('inner', { latencyMs: 200 }), 'act3']]));
  assert.deepEqual([...fold.shown], ['root']);
  assert.equal(
    fold.groups.get('summary:root')?.summary.name,
    'Repeated plan → act → observe (12×, n=37, avg latency 297 ms)',
  );
});

test('[PR11] the steps of a thought are as dull as their call, and count for nothing beside it', () => {
  const thought = (id: string): ExplanationNode => {
    const { latencyMs: _, costUsd: __, ...step } = call(id, { type: 'REASONING' });
    return step;
  };
  const thinking = (id: string, fields: Partial<ExplanationNode> = {}): Line[] => [
    [call(id, fields), 'root'],
    [thought(`${id}#1`), id],
    [thought(`${id}#2`), `${id}#1`],
  ];
  const graph = graphOf([ROOT, ...thinking('a'), ...thinking('b'), ...thinking('slow', { latencyMs: 900 })]);
  assert.deepEqual(foldedIn(graph), ['a', 'a#1', 'a#2', 'b', 'b#1', 'b#2']);
  const group = foldOf(graph).groups.get('summary:root');
  assert.equal(group?.summary.name, 'Routine LLM calls (n=2, avg latency 30 ms)');
  assert.equal(group.memberCount, 6);
  // A call alone is shown with its thoughts, and thoughts are no nesting.
  assert.deepEqual(foldedIn(graphOf([ROOT, ...thinking('a')])), []);
  assert.deepEqual(foldedIn(graphOf([ROOT, ...thinking('slow', slow)]), { maxCoTDepth: 1 }), []);
});

test('[PR11] the steps of a thought beyond maxCoTDepth are one summary, whatever their call cost', () => {
  const thought = (n: number): Line => {
    const { latencyMs: _, costUsd: __, ...step } = call(`t${n}`, { type: 'REASONING', details: { step: n } });
    return [step, n === 1 ? 'slow' : `t${n - 1}`];
  };
  const thinking = (steps: number): CausalGraph =>
    graphOf([ROOT, [call('slow', slow), 'root'], ...Array.from({ length: steps }, (_, i) => thought(i + 1))]);
  const fold = foldOf(thinking(8));
  const group = fold.groups.get('summary:t5');
  assert.deepEqual([...fold.shown].toSorted(), ['root', 'slow', 't1', 't2', 't3', 't4', 't5']);
  assert.equal(group?.summary.name, 'Routine reasoning steps (n=3)');
  assert.deepEqual([...group.contents().nodes].toSorted(), ['t6', 't7', 't8']);
  // One alone takes no more room than its summary.
  assert.deepEqual(foldedIn(thinking(6)), []);
});

test('[PR12] a step that fails inside a summary comes out of it with its way, and goes back when it does not', () => {
  const graph = graphOf([ROOT, ...dull(6).map((node, i): Line => [node, i < 3 ? 'root' : 'd0'])]);
  const folds = new TaskFolds(graph, LIMITS, systemClock, () => graph.takeChanges().log);
  const shownNow = (): string[] => {
    return [...folds.foldOf('t').shown].sort();
  };
  assert.deepEqual(shownNow(), ['root']);
  graph.putNode(call('d4', { status: 'ERROR' }));
  assert.deepEqual(shownNow(), ['d0', 'd4', 'root']);
  graph.putNode(call('d4'));
  assert.deepEqual(shownNow(), ['root']);
});

test('[PR13] over the limit the critical path and spikes have a place beside a crowd of errors', () => {
  const failed = Array.from({ length: 300 }, (_, i): Line => [call(`e${i}`, { status: 'ERROR' }), 'root']);
  const graph = graphOf([
    ROOT,
    ...failed,
    [call('last', { name: 'last', latencyMs: 5000 }), 'root'],
    [call('dear', { name: 'dear', costUsd: 3 }), 'root'],
    [call('switch', { type: 'MODEL_SWITCH' }), 'root'],
    [call('noted', { details: { annotations: ['why?'] } }), 'root'],
  ]);
  const { shown: seen, notice } = foldOf(graph, { maxNodesPerTask: 60 });
  assert.ok(notice);
  for (const id of ['root', 'last', 'dear', 'switch', 'noted']) assert.ok(seen.has(id), id);
  assert.ok([...seen].filter((id) => id.startsWith('e')).length > 10);
});

test('[PR13] over the limit the step that ended last has a place beside a crowd that is more important, no other one has', () => {
  const at = (ms: number): string => new Date(1_750_000_000_000 + ms).toISOString();
  const crowd = Array.from({ length: 300 }, (_, i) =>
    call(`w${i}`, { status: 'WARNING', timestamp: at(1000 + i) }),
  );
  const running = [0, 500, 9000].map((ms) => call(`r${ms}`, { state: 'RUNNING', timestamp: at(ms) }));
  const lines = [...running, ...crowd].map((node): Line => [node, 'root']);
  const { shown } = foldOf(graphOf([ROOT, ...lines]), { maxNodesPerTask: 60 });
  assert.deepEqual(
    [...shown].filter((id) => /^r\d/.test(id)),
    ['r9000'],
  );
});

test('[PR14] a summary of 100,000 opens to parts, at most 400 at a time, down to every node', () => {
  const many = 100_000;
  const graph = new CausalGraph();
  graph.putNode(ROOT[0]);
  for (let i = 0; i < many; i++) {
    graph.putNode(call(`k${i}`, { timestamp: new Date(1_750_000_000_000 + i).toISOString() }));
    const edge = { from: 'root', to: `k${i}`, relation: 'NEXT_STEP', evidence: 'parentSpanId' } as const;
    graph.putInEdges(`k${i}`, [{ id: edgeId('root', 'NEXT_STEP', `k${i}`), ...edge }]);
  }
  const [group] = foldOf(graph).groups.values();
  assert.equal(group?.memberCount, many);
  let nodes = 0;
  let depth = 0;
  const visit = (part: Group, level: number): void => {
    const contents = part.contents();
    depth = Math.max(depth, level);
    nodes += contents.nodes.size;
    assert.ok(contents.nodes.size + contents.parts.size <= 400);
    for (const inner of contents.parts.values()) visit(inner, level + 1);
  };
  visit(group, 1);
  assert.equal(nodes, many);
  assert.ok(depth <= 4, `depth ${depth}`);
  assert.deepEqual(group.members(50_000, 3), ['k50000', 'k50001', 'k50002']);
});

test('[PR9] found by chance: a step that turns into REASONING below a tool call is shown, as from scratch', () => {
  const tool = (id: string): ExplanationNode => call(id, { type: 'TOOL_CALL' });
  const graph = graphOf([[tool('top')], ...['a', 'b', 'c'].map((id): Line => [tool(id), 'top'])]);
  const folds = new TaskFolds(graph, LIMITS, systemClock, () => graph.takeChanges().log);
  assert.deepEqual([...folds.foldOf('t').shown], ['top']);
  graph.putNode(call('c', { type: 'REASONING' }));
  assert.deepEqual([...folds.foldOf('t').shown].sort(), ['c', 'top']);
});

test('[PR9] a chain of 20,000 steps is folded, opened and unfolded like any other', () => {
  const length = 20_000;
  const graph = graphOf(
    Array.from({ length }, (_, i): Line => (i === 0 ? [call('c0')] : [call(`c${i}`), `c${i - 1}`])),
  );
  const folds = new TaskFolds(graph, LIMITS, systemClock, () => graph.takeChanges().log);
  const [group] = folds.foldOf('t').groups.values();
  assert.equal(group?.memberCount, length - 1);
  assert.equal(group.contents().nodes.size + group.contents().parts.size, 2);
  assert.deepEqual(group.members(length - 2, 5), [`c${length - 1}`]);
  graph.putNode(call(`c${length - 1}`, { status: 'ERROR' }));
  assert.equal(folds.foldOf('t').notice?.id, 'notice:t');
});
