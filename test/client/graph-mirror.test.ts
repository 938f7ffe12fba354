import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ChangeLog, type GraphChange } from '../../src/client/change-log.ts';
import { GraphMirror } from '../../src/client/graph-mirror.ts';
import { applyUpdate } from '../../src/model/apply-update.ts';
import type {
  ExplanationEdge,
  ExplanationGraph,
  ExplanationNode,
  GraphUpdate,
} from '../../src/model/node.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { canonical, contentOf } from './canonical.ts';
import { edge, graphOf, node, updateOf } from './fake-transport.ts';

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const nodes: fc.Arbitrary<ExplanationNode> = fc
  .tuple(id, fc.constantFrom(undefined, 1, 2))
  .map(([name, costUsd]) => node(name, costUsd === undefined ? {} : { costUsd, details: { costUsd } }));
// Few ids, so that one edge comes again between other ends, beside others between the same ones.
const edges: fc.Arbitrary<ExplanationEdge> = fc
  .tuple(fc.constantFrom('1', '2', '3', '4', '5', '6'), id, id)
  .map(([key, from, to]) => edge(from, to, { id: key }));
const removed = fc.oneof(
  edges.map(({ id: key, from, to }) => ({ id: key, from, to })),
  // The spec's own shape has no id.
  edges.map(({ from, to }) => ({ from, to }) as ExplanationEdge),
);
const updates: fc.Arbitrary<GraphUpdate> = fc
  .record({
    addedNodes: fc.array(nodes, { maxLength: 4 }),
    removedNodeIds: fc.array(id, { maxLength: 2 }),
    addedEdges: fc.array(edges, { maxLength: 5 }),
    removedEdgeIds: fc.array(removed, { maxLength: 2 }),
  })
  .map(updateOf);
const snapshots: fc.Arbitrary<ExplanationGraph> = fc
  .tuple(fc.array(nodes, { maxLength: 5 }), fc.array(edges, { maxLength: 6 }))
  .map(([some, others]) => ({ nodes: some, edges: others, lastUpdated: '' }));
const steps = fc.array(fc.oneof({ weight: 5, arbitrary: updates }, { weight: 1, arbitrary: snapshots }), {
  maxLength: 12,
});

const EMPTY: ExplanationGraph = { nodes: [], edges: [], lastUpdated: '' };

/** The graph that a listener has who knows changes only. */
function follow(graph: ExplanationGraph, change: GraphChange | undefined): ExplanationGraph {
  if (change === undefined) return graph;
  const keep = <T extends { readonly id: string }>(
    held: readonly T[],
    {
      added,
      changed,
      removed: gone,
    }: {
      readonly added: readonly T[];
      readonly changed: readonly T[];
      readonly removed: readonly T[];
    },
  ): T[] => {
    const map = new Map(held.map((item) => [item.id, item]));
    for (const item of added) assert.ok(!map.has(item.id), 'what is added was not there');
    for (const item of [...changed, ...gone])
      assert.ok(map.has(item.id), 'what is changed or removed was there');
    for (const item of changed) assert.notDeepEqual(canonicalOf(map.get(item.id)), canonicalOf(item));
    for (const item of gone) map.delete(item.id);
    for (const item of [...added, ...changed]) map.set(item.id, item);
    return [...map.values()];
  };
  return { ...graph, nodes: keep(graph.nodes, change.nodes), edges: keep(graph.edges, change.edges) };
}

function canonicalOf(value: unknown): string {
  return JSON.stringify(value, Object.keys(value as object).sort());
}

test('[CL2] property: in place or made anew, updates mean the same, and the changes told are the difference', () => {
  fc.assert(
    fc.property(steps, fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), (history, pulls) => {
      const mirror = new GraphMirror();
      const slow = new ChangeLog();
      mirror.watch(slow);
      let expected = EMPTY;
      let told = EMPTY;
      let toldSlowly = EMPTY;
      for (const [index, step] of history.entries()) {
        const isSnapshot = 'nodes' in step;
        // A snapshot is what applyUpdate makes of it on an empty graph.
        expected = isSnapshot
          ? applyUpdate(EMPTY, updateOf({ addedNodes: step.nodes, addedEdges: step.edges }))
          : applyUpdate(expected, step);
        told = follow(told, isSnapshot ? mirror.replace(step) : mirror.update(step));
        if (pulls[index] === true) toldSlowly = follow(toldSlowly, slow.take(mirror.graph));
        assert.deepEqual(canonical(contentOf(mirror.graph)), canonical(expected));
        assert.deepEqual(canonical(told), canonical(expected));
      }
      toldSlowly = follow(toldSlowly, slow.take(mirror.graph));
      assert.deepEqual(canonical(toldSlowly), canonical(expected));
    }),
    propertyRuns(),
  );
});

test('[CL2] what is sent again without a difference is no change, for nobody', () => {
  const mirror = new GraphMirror();
  const snapshot = { ...graphOf('a', 'b'), edges: [edge('a', 'b')] };
  mirror.replace(snapshot);
  const heard: string[] = [];
  mirror.graph.on('nodeAttributesUpdated', ({ key }) => heard.push(key));
  mirror.graph.on('nodeDropped', ({ key }) => heard.push(key));
  assert.equal(mirror.replace(structuredClone(snapshot)), undefined);
  assert.equal(mirror.update(updateOf({ addedNodes: [node('a')], addedEdges: [edge('a', 'b')] })), undefined);
  assert.deepEqual(heard, []);
});

test('[CL3] what comes and goes while nobody looks leaves no trace', () => {
  const mirror = new GraphMirror();
  const log = new ChangeLog();
  mirror.watch(log);
  for (let i = 0; i < 10_000; i++) {
    mirror.update(updateOf({ addedNodes: [node(`n${i}`)] }));
    mirror.update(updateOf({ removedNodeIds: [`n${i}`] }));
  }
  assert.ok(log.size < 300, `${log.size} items are remembered`);
  assert.equal(log.take(mirror.graph), undefined);
});

test('[CL34] edges at nodes with the names of every object change nothing outside of the graph', (t) => {
  t.after(() => Reflect.deleteProperty(Object.prototype, 'previous'));
  const names = ['__proto__', 'constructor', 'toString'];
  const edges = names.flatMap((name) => [edge('a', name), edge(name, 'a')]);
  const mirror = new GraphMirror();
  mirror.replace({ nodes: ['a', ...names].map((name) => node(name)), edges, lastUpdated: '' });
  mirror.update(updateOf({ addedNodes: [], removedNodeIds: [], removedEdgeIds: [], addedEdges: edges }));
  const left: string[] = [];
  for (const name in {}) left.push(name);
  assert.deepEqual(left, []);
  assert.equal(Reflect.has(Object, 'previous'), false);
  assert.deepEqual(mirror.content.nodes.map(({ id }) => id).sort(), [...names, 'a'].sort());
});
