import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EVIDENCE, type ExplanationEdge, type ExplanationNode } from '../model/node.ts';
import { edgeId } from '../model/ids.ts';
import { byEvidence } from './acyclic-edges.ts';
import { CausalGraph } from './causal-graph.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { cpuTimer } from '../../test/support/cpu-time.ts';

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

function node(id: string, taskId = 't'): ExplanationNode {
  return {
    id,
    timestamp: '2026-01-01T00:00:00.000Z',
    agent: 'A',
    type: 'OTHER',
    name: id,
    title: id,
    taskId,
    state: 'ENDED',
    status: 'OK',
  };
}

/** The rule as it is written: one pass over all candidates in order. */
function oracle(candidates: readonly ExplanationEdge[]): Set<string> {
  const next = new Map<string, string[]>();
  const accepted = new Set<string>();
  for (const edge of [...candidates].sort(byEvidence)) {
    const reached = new Set([edge.to]);
    for (const id of reached) for (const after of next.get(id) ?? []) reached.add(after);
    if (reached.has(edge.from)) continue;
    accepted.add(edge.id);
    next.set(edge.from, [...(next.get(edge.from) ?? []), edge.to]);
  }
  return accepted;
}

/**
 * Random histories, each step of which says the in-edges of a node anew, or drops and re-adds a node. With few nodes
 * and edges cycles come and go, with many nearly all nodes lie on one.
 */
const histories = fc.constantFrom({ nodes: 4, edges: 1 }, { nodes: 7, edges: 4 }).chain((size) => {
  const id = fc.constantFrom(...IDS.slice(0, size.nodes));
  const edge = fc
    .tuple(id, id, fc.constantFrom(...EVIDENCE))
    .map(
      ([from, to, evidence]) =>
        ({ id: edgeId(from, 'OTHER', to), from, relation: 'OTHER', evidence }) as const,
    );
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ put: id, edges: fc.array(edge, { maxLength: size.edges }) }) },
    { weight: 1, arbitrary: fc.record({ drop: id }) },
    { weight: 1, arbitrary: fc.record({ move: id, to: fc.constantFrom('t', 'u', 'v') }) },
  );
  return fc.array(step, { maxLength: 100, size: 'max' });
});

test('[GR2] the accepted edges are those of one ordered pass, after any history', () => {
  fc.assert(
    fc.property(histories, (steps) => {
      const history = new History();
      for (const s of steps) {
        history.take(s);
        history.graph.untangle();
        history.assertDecided();
      }
    }),
    propertyRuns(),
  );
});

test('[GR1] [GR2] no cycle at any moment while many changes are decided on together, in pieces', () => {
  // Several changes between two looks, of which some come to an end and some do not.
  const pieces = fc.array(fc.constantFrom(0, 0, 0, 1, 4, Infinity), { minLength: 100, maxLength: 100 });
  fc.assert(
    fc.property(histories, pieces, (steps, pauses) => {
      const history = new History();
      for (const [i, s] of steps.entries()) {
        history.take(s);
        history.assertAcyclic();
        let left = pauses[i] ?? 0;
        if (left > 0) history.graph.untangle(() => --left <= 0);
        history.assertAcyclic();
      }
      history.graph.untangle();
      history.assertDecided();
    }),
    propertyRuns(),
  );
});

test('[GR1] an edge between what is left of a cycle can close one that goes through others', () => {
  const history = new History();
  const put = (to: string, ...from: string[]): void =>
    history.take({
      put: to,
      edges: from.map((id) => ({ id: '', from: id, relation: 'OTHER', evidence: 'link' }) as const),
    });
  put('b', 'a');
  put('c', 'b');
  put('a', 'c');
  put('d', 'a');
  history.graph.untangle();
  put('c');
  put('b', 'd');
  put('a', 'b');
  history.assertAcyclic();
  history.graph.untangle();
  history.assertDecided();
});

test('[GR2] where cycles are too long to be found at once, the rule decides all the same', () => {
  const links = fc.array(fc.tuple(fc.nat({ max: 199 }), fc.nat({ max: 199 }), fc.constantFrom(...EVIDENCE)), {
    maxLength: 300,
  });
  fc.assert(
    fc.property(links, fc.nat({ max: 40 }), (extra, half) => {
      const graph = new CausalGraph();
      for (let i = 0; i < 200; i++) graph.putNode(node(String(i)));
      const into = new Map<string, ExplanationEdge[]>();
      const add = (i: number, j: number, evidence: ExplanationEdge['evidence']): void => {
        const [from, to] = [String(i), String(j)];
        const edges = (into.get(to) ?? []).filter((edge) => edge.from !== from);
        if (from === to) return;
        into.set(to, [...edges, { id: edgeId(from, 'OTHER', to), from, to, relation: 'OTHER', evidence }]);
        graph.putInEdges(to, into.get(to) ?? []);
      };
      for (let i = 1; i < 200; i++) add(i - 1, i, 'content');
      for (const [i, j, evidence] of extra.slice(0, half)) add(i, j, evidence);
      graph.untangle();
      for (const [i, j, evidence] of extra.slice(half)) add(i, j, evidence);
      graph.untangle();
      const accepted = graph.everything().edges.map(({ id }) => id);
      assert.deepEqual(accepted.sort(), [...oracle([...into.values()].flat())].sort());
    }),
    { ...propertyRuns(), numRuns: Math.ceil(propertyRuns().numRuns / 10) },
  );
});

test('[GR2] what changes while it is being decided is decided anew', () => {
  const count = 2_000;
  const into = (to: number): ExplanationEdge[] => {
    const [from, target] = [String((to + count - 1) % count), String(to)];
    const edge = { from, to: target, relation: 'TRIGGERED', evidence: 'link' } as const;
    return [{ ...edge, id: edgeId(from, 'TRIGGERED', target) }];
  };
  for (const pause of [1, 3, 5, 8]) {
    const graph = new CausalGraph();
    for (let i = 0; i < count; i++) graph.putNode(node(String(i)));
    for (let i = 0; i < count; i++) graph.putInEdges(String(i), into(i));
    let steps = 0;
    assert.equal(
      graph.untangle(() => ++steps >= pause),
      false,
      'there is more to do',
    );
    graph.putInEdges('7', []);
    graph.untangle();
    assert.equal(graph.edgesLeftOut, 0, 'nothing closes a cycle any more');
    assert.equal(graph.edgeCount, count - 1);
    graph.putInEdges('7', into(7));
    graph.untangle();
    assert.equal(graph.edgesLeftOut, 1);
  }
});

type Step = typeof histories extends fc.Arbitrary<(infer S)[]> ? S : never;

class History {
  readonly graph = new CausalGraph();
  private readonly wanted = new Map<string, ExplanationEdge[]>();
  private readonly task = new Map<string, string>();

  constructor() {
    for (const id of IDS) this.graph.putNode(node(id));
  }

  take(s: Step): void {
    const { graph, wanted, task } = this;
    if ('put' in s) {
      const edges = s.edges.map((e) => ({ ...e, to: s.put, id: edgeId(e.from, 'OTHER', s.put) }));
      const distinct = [...new Map(edges.filter((e) => e.from !== s.put).map((e) => [e.id, e])).values()];
      graph.putInEdges(s.put, distinct);
      wanted.set(s.put, distinct);
    } else if ('drop' in s) {
      graph.dropNode(s.drop);
      graph.putNode(node(s.drop));
      task.delete(s.drop);
      wanted.delete(s.drop);
      for (const [to, edges] of wanted)
        wanted.set(
          to,
          edges.filter((e) => e.from !== s.drop),
        );
    } else {
      graph.putNode(node(s.move, s.to));
      task.set(s.move, s.to);
    }
  }

  assertAcyclic(): void {
    const { edges } = this.graph.everything();
    assert.equal(oracle(edges).size, edges.length);
    assertCrossings(this.graph, this.task);
  }

  assertDecided(): void {
    const candidates = [...this.wanted.values()].flat();
    const expected = oracle(candidates);
    const actual = new Set(IDS.flatMap((id) => this.graph.inEdges(id).map((e) => e.id)));
    assert.deepEqual([...actual].sort(), [...expected].sort());
    assert.equal(this.graph.edgesLeftOut, candidates.length - expected.size);
    assertCrossings(this.graph, this.task);
  }
}

/** Which nodes lead to which, from a number of nodes on. */
const SHAPES: { readonly [name: string]: () => readonly (readonly [number, number])[] } = {
  'a complete digraph of 100': () => pairs(100, 100, (i, j) => i !== j),
  'one cycle of 10,000': () => Array.from({ length: 10_000 }, (_, i) => [i, (i + 7) % 10_000] as const),
  'a star with back links': () =>
    pairs(2, 5_000, (_, j) => j > 0).map(([i, j]) => (i === 0 ? [0, j] : [j, 0])),
  'two layers, both ways': () => pairs(142, 142, (i, j) => i < 71 !== j < 71),
  'a chain with links back': () =>
    Array.from({ length: 5_000 }, (_, i) => [
      [i, i + 1] as const,
      [i + 1, (i * 7919) % (i + 1)] as const,
    ]).flat(),
};

function pairs(
  n: number,
  m: number,
  isMeant: (i: number, j: number) => boolean,
): (readonly [number, number])[] {
  return Array.from({ length: n }, (_, i) => Array.from({ length: m }, (_, j) => [i, j] as const))
    .flat()
    .filter(([i, j]) => isMeant(i, j));
}

/** What some of these took was minutes; all of them take less than a second on an idle machine. */
const MAX_CPU_SECONDS = 10;

for (const [name, shape] of Object.entries(SHAPES))
  test(`[GR8] ten thousand links are decided on together: ${name}`, () => {
    const graph = new CausalGraph();
    const into = new Map<number, ExplanationEdge[]>();
    for (const [i, j] of shape()) {
      for (const id of [i, j]) if (!graph.node(String(id))) graph.putNode(node(String(id)));
      const edge = { from: String(i), to: String(j), relation: 'TRIGGERED', evidence: 'link' } as const;
      into.set(j, [...(into.get(j) ?? []), { ...edge, id: edgeId(edge.from, edge.relation, edge.to) }]);
    }
    const seconds = cpuTimer();
    for (const [to, edges] of into) graph.putInEdges(String(to), edges);
    let steps = 0;
    // Whoever waits has his turn after each step.
    while (!graph.untangle(() => ++steps > 0));
    if (name === 'a chain with links back') assert.ok(steps > 100, `${steps} steps`);
    const took = seconds();
    assert.ok(graph.edgesLeftOut > 0);
    const { edges } = graph.everything();
    assert.equal(edges.length + graph.edgesLeftOut, [...into.values()].flat().length);
    assert.ok(took < MAX_CPU_SECONDS, `${took} s`);
  });

function assertCrossings(graph: CausalGraph, task: ReadonlyMap<string, string>): void {
  const expected = new Set<string>();
  for (const id of IDS) {
    for (const edge of graph.outEdges(id)) {
      const [from, to] = [task.get(edge.from) ?? 't', task.get(edge.to) ?? 't'];
      if (from !== to) expected.add(`${from}>${to}`);
    }
  }
  const actual = [...graph.taskIds()].flatMap((t) =>
    [...graph.tasksAfter(t)].map((after) => `${t}>${after}`),
  );
  assert.deepEqual(actual.sort(), [...expected].sort(), '[GR5] crossings between tasks');
}

test('[GR3] an edge from a node that is not there is refused', () => {
  const graph = new CausalGraph();
  graph.putNode(node('a'));
  const id = edgeId('gone', 'OTHER', 'a');
  const edge: ExplanationEdge = { id, from: 'gone', to: 'a', relation: 'OTHER', evidence: 'parentSpanId' };
  assert.throws(() => graph.putInEdges('a', [edge]), /unknown node/);
  assert.deepEqual(graph.everything().edges, []);
});

test('[GR3] dropping a node takes its edges with it', () => {
  const graph = new CausalGraph();
  for (const id of ['a', 'b', 'c']) graph.putNode(node(id));
  graph.putInEdges('b', [{ id: 'a>b', from: 'a', to: 'b', relation: 'NEXT_STEP', evidence: 'parentSpanId' }]);
  graph.putInEdges('c', [{ id: 'b>c', from: 'b', to: 'c', relation: 'NEXT_STEP', evidence: 'parentSpanId' }]);
  graph.dropNode('b');
  assert.equal(graph.edgeCount, 0);
  assert.deepEqual(graph.outEdges('a'), []);
  assert.deepEqual(graph.inEdges('c'), []);
});

test('[GR4] a change names its task, and counts what was created', () => {
  const graph = new CausalGraph();
  graph.putNode(node('a', 't1'));
  graph.putNode(node('b', 't2'));
  graph.takeChanges();
  graph.putInEdges('b', [{ id: 'a>b', from: 'a', to: 'b', relation: 'TRIGGERED', evidence: 'link' }]);
  const changes = graph.takeChanges();
  assert.deepEqual([...changes.tasks].sort(), ['t1', 't2']);
  assert.equal(changes.nodesCreated, 0);
  assert.equal(changes.edgesCreated, 1);
  assert.deepEqual([...graph.tasksAfter('t1')], ['t2']);
});
