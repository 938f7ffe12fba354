import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../../src/base/clock.ts';
import { CausalGraph } from '../../src/graph/causal-graph.ts';
import { ChangeLog } from '../../src/graph/change-log.ts';
import { edgeId } from '../../src/model/ids.ts';
import type { ExplanationEdge, ExplanationNode } from '../../src/model/node.ts';
import { summariesAround, type Fold, type FoldLimits, type Group } from '../../src/pruning/fold.ts';
import { hashOf } from '../../src/pruning/sorted-chunks.ts';
import { TaskFolds, type RunOfNodes } from '../../src/pruning/task-folds.ts';
import { oracleFold, type PlainFold } from '../support/oracle-fold.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { Situations } from '../support/situations.ts';

/** Some of the ids begin a run of siblings, wherever they stand. */
const IDS = [
  ...Array.from({ length: 2000 }, (_, i) => `n${i}`)
    .filter((id) => hashOf(id) % 64 === 0)
    .slice(0, 5),
  ...Array.from({ length: 11 }, (_, i) => `m${i}`),
];
const id = fc.constantFrom(...IDS);
const TASKS = ['t', 'u'];

const node: fc.Arbitrary<ExplanationNode> = fc
  .record({
    id,
    time: fc.integer({ min: 0, max: 9 }),
    taskId: fc.constantFrom('t', 't', 't', 't', 'u'),
    agent: fc.constantFrom('A', 'A', 'A', 'B'),
    name: fc.constantFrom('x', 'x', 'y'),
    type: fc.constantFrom(
      'LLM_CALL',
      'LLM_CALL',
      'TOOL_CALL',
      'OTHER',
      'REASONING',
      'MODEL_SWITCH',
      'USER_QUERY',
    ),
    status: fc.constantFrom('OK', 'OK', 'OK', 'OK', 'OK', 'OK', 'ERROR', 'WARNING'),
    state: fc.constantFrom('ENDED', 'ENDED', 'ENDED', 'ENDED', 'ENDED', 'RUNNING'),
    latencyMs: fc.constantFrom(10, 20, 20.5, 60, 60, 70, 400, undefined),
    costUsd: fc.constantFrom(0.00001, 0.00003, 0.5, 0.7, undefined, undefined),
    annotated: fc.constantFrom(false, false, false, false, false, false, false, true),
    place: fc.integer({ min: 1, max: 7 }),
  })
  .map(({ time, latencyMs, costUsd, annotated, place, ...rest }): ExplanationNode => ({
    ...(rest as Pick<ExplanationNode, 'id' | 'taskId' | 'agent' | 'name' | 'type' | 'status' | 'state'>),
    title: 'x',
    timestamp: `2026-01-01T00:00:00.00${time}Z`,
    ...(latencyMs !== undefined && { latencyMs }),
    ...(costUsd !== undefined && { costUsd }),
    ...(rest.type === 'REASONING' && { details: { step: place } }),
    ...(annotated && { details: { annotations: ['see here'] } }),
  }));

/** Mostly trees, with some edges beside them. */
const edges = fc.array(
  fc.record({
    from: id,
    evidence: fc.constantFrom<ExplanationEdge['evidence'][]>(
      'parentSpanId',
      'parentSpanId',
      'parentSpanId',
      'toolCallId',
      'link',
    ),
  }),
  { maxLength: 3 },
);

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), node }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('join' as const), id, edges }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), id }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fold' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('foldPart' as const), changes: fc.constantFrom(1, 2, 5) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('lookOn' as const), taskId: fc.constantFrom(...TASKS) }),
  },
);

/** A crowd of steps, most of them alike and below one, as repetitions and large summaries need. */
const crowd = fc.array(
  fc.record({ node, alike: fc.constantFrom(true, true, false), below: fc.constantFrom(0, 0, 0, 1, 2, 3) }),
  { maxLength: 24, size: 'max' },
);
const ALIKE = {
  taskId: 't',
  agent: 'A',
  name: 'x',
  title: 'x',
  type: 'TOOL_CALL',
  status: 'OK',
  state: 'ENDED',
} as const;

const limits: fc.Arbitrary<FoldLimits> = fc.record({
  pruneLatencyThresholdMs: fc.constant(50),
  minCostUsdDetail: fc.constant(0.0001),
  maxCoTDepth: fc.constantFrom(1, 2, 5),
  maxNodesPerTask: fc.constantFrom(500, 500, 500, 12, 7, 3),
  openAtOnce: fc.constantFrom(2, 3, 5),
  minRepeated: fc.constantFrom(3, 3, 10),
  smallTask: fc.constantFrom(0, 3, 8, 64),
});

test('[PR9] folds that follow every change equal folds from scratch, after any history', (t) => {
  const seen = new Situations('groups', 'repeated', 'truncated', 'parts', 'runs', 'joined', 'open');
  fc.assert(
    fc.property(limits, crowd, fc.array(step, { maxLength: 60, size: 'max' }), (bounds, members, steps) => {
      seen.nextCase();
      const graph = new CausalGraph();
      const looks = new Map<string, Iterator<RunOfNodes>>();
      const folds = new TaskFolds(graph, bounds, new ManualClock(), () => graph.takeChanges().log);
      for (const [i, member] of members.entries()) {
        graph.putNode(member.alike ? { ...member.node, ...ALIKE } : member.node);
        const parent = members[Math.min(member.below, i - 1)]?.node.id ?? '';
        join(graph, member.node.id, [{ from: parent, evidence: 'parentSpanId' }]);
      }
      for (const s of steps) {
        if (s.do === 'put') graph.putNode(s.node);
        else if (s.do === 'drop' && graph.node(s.id)) graph.dropNode(s.id);
        else if (s.do === 'join') join(graph, s.id, s.edges);
        else if (s.do === 'foldPart') {
          let left = s.changes;
          folds.settle(() => --left <= 0);
        } else if (s.do === 'lookOn') {
          // Who looks in turns goes on, whatever changed meanwhile.
          const look = looks.get(s.taskId) ?? folds.runsOf(s.taskId)[Symbol.iterator]();
          looks.set(s.taskId, look);
          if (look.next().done === true) looks.delete(s.taskId);
        } else check(graph, folds, bounds);
      }
      check(graph, folds, bounds);
      for (const taskId of TASKS) {
        const fold = folds.foldOf(taskId);
        for (const group of fold.groups.values()) {
          seen.saw('groups');
          if (group.summary.summary?.reason === 'repeated') seen.saw('repeated');
          for (const part of group.contents().parts.keys()) {
            seen.saw('parts');
            if (part.startsWith('summary:part:')) seen.saw('runs');
          }
          if (group.contents().parts.size === 0) seen.saw('open');
          if (group.inlets().length > 1) seen.saw('joined');
        }
        if (fold.notice) seen.saw('truncated');
      }
    }),
    propertyRuns(),
  );
  seen.tell(t);
});

function join(
  graph: CausalGraph,
  to: string,
  wanted: readonly { readonly from: string; readonly evidence: ExplanationEdge['evidence'] }[],
): void {
  if (!graph.node(to)) return;
  const edges = wanted
    .filter(({ from }) => from !== to && graph.node(from))
    .map(({ from, evidence }): ExplanationEdge => {
      const relation = evidence === 'parentSpanId' ? 'NEXT_STEP' : 'TRIGGERED';
      return { id: edgeId(from, relation, to), from, to, relation, evidence };
    });
  graph.putInEdges(to, edges);
}

function check(graph: CausalGraph, folds: TaskFolds, bounds: FoldLimits): void {
  // The other way to fold: from scratch what was followed, and the other way round.
  const fresh = freshFolds(graph, { ...bounds, smallTask: (bounds.smallTask ?? 0) < 8 ? 64 : 0 });
  for (const taskId of TASKS) {
    const inSight = keptIn(graph, taskId);
    for (const one of [folds, fresh]) one.keepInSight(taskId, inSight);
    const fold = folds.foldOf(taskId);
    assert.deepEqual(plain(fold), oracleFold(graph, taskId, bounds, inSight));
    assert.deepEqual(whole(fold), whole(fresh.foldOf(taskId)));
    for (const group of fold.groups.values()) checkContents(fold, group, bounds.openAtOnce ?? 0);
  }
}

/** Some nodes, others with every change of the edges; none half of the time. */
function keptIn(graph: CausalGraph, taskId: string): ReadonlySet<string> {
  const ids = [...graph.nodesOfTask(taskId)].sort();
  const { edgeCount } = graph;
  return new Set(edgeCount % 2 === 0 ? [] : ids.filter((_, i) => (i + edgeCount) % 5 === 0));
}

/** Told of the whole graph at once, in another order. */
function freshFolds(graph: CausalGraph, bounds: FoldLimits): TaskFolds {
  const log = new ChangeLog();
  const { nodes, edges } = graph.everything();
  for (const { id } of nodes.reverse()) log.nodeChanged(id);
  for (const edge of edges.reverse()) log.edgeAdded(edge);
  for (const taskId of graph.taskIds()) log.taskChanged(taskId);
  const told = [log];
  const folds = new TaskFolds(graph, bounds, new ManualClock(), () => told.pop());
  return folds;
}

function plain(fold: Fold): PlainFold {
  const groups = [...fold.groups.values()].map((group) => {
    const { count = 0, reason, avgLatencyMs, totalCostUsd, types } = group.summary.summary ?? {};
    const members = group.members(0, Infinity).sort();
    return { id: group.id, members, count, reason, avgLatencyMs, totalCostUsd, types };
  });
  groups.sort((a, b) => (a.id < b.id ? -1 : 1));
  return { shown: [...fold.shown].sort(), groups, isTruncated: fold.notice !== undefined };
}

/** All of it, with what is inside of what. */
function whole(fold: Fold): unknown {
  const asTree = (group: Group): unknown => ({
    summary: group.summary,
    inlets: group
      .inlets()
      .filter((edge) => group.has(edge.to) && !group.has(edge.from))
      .map((edge) => edge.id)
      .sort(),
    nodes: [...group.contents().nodes].sort(),
    parts: [...group.contents().parts.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).map(asTree),
  });
  const groups = [...fold.groups.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return { groups: groups.map(asTree), notice: fold.notice };
}

/** What is opened is what was closed, no more at once than is bearable, and every member is found in its place. */
function checkContents(fold: Fold, group: Group, openAtOnce: number): void {
  const { nodes, parts } = group.contents();
  const members = group.members(0, Infinity);
  assert.equal(members.length, group.memberCount);
  const inside = [...parts.values()].flatMap((part) => part.members(0, Infinity));
  assert.deepEqual([...nodes, ...inside].sort(), [...members].sort());
  assert.ok(parts.size <= openAtOnce, 'parts at once');
  for (const member of members) {
    assert.ok(group.has(member));
    const around = summariesAround(fold, member);
    assert.ok(around.includes(group), 'found in its place');
    assert.equal(nodes.has(member), around.at(-1) === group);
  }
  const pages = members.flatMap((_, i) => (i % 2 === 0 ? group.members(i, 2) : []));
  assert.deepEqual(pages, members);
  for (const part of parts.values()) checkContents(fold, part, openAtOnce);
}
