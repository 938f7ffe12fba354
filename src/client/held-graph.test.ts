import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { edge, node } from '../../test/client/fake-transport.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { applyUpdate } from '../model/apply-update.ts';
import type { ExplanationEdge, ExplanationGraph, GraphUpdate } from '../model/node.ts';
import { ITEM_BYTES } from '../model/item-size.ts';
import { ToldNode } from '../model/told-node.ts';
import { HeldGraph } from './held-graph.ts';

/** Names that every object has are ids as others. */
const id = fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'constructor');
const link = fc.tuple(id, id).map(([from, to]) => edge(from, to));
const removed = fc.oneof(
  link,
  link.map(({ from, to }) => ({ from, to }) as ExplanationEdge),
);
const update = fc.record({
  addedNodes: fc.array(id.map((name) => node(name))),
  removedNodeIds: fc.array(id),
  addedEdges: fc.array(link),
  removedEdgeIds: fc.array(removed),
  timestamp: fc.constantFrom('1', '2'),
});

test('[CL35] a graph that is not shown yet is what the updates make of it, whatever ids are', () => {
  fc.assert(
    fc.property(fc.array(update, { maxLength: 8 }), (updates: readonly GraphUpdate[]) => {
      let expected: ExplanationGraph = { nodes: [node('a')], edges: [], lastUpdated: '0' };
      const held = new HeldGraph(expected);
      for (const one of updates) {
        expected = applyUpdate(expected, one);
        held.update(one);
      }
      assert.deepEqual(byId(held.content), byId(expected));
      assert.equal(held.items, expected.nodes.length + expected.edges.length);
    }),
    propertyRuns(),
  );
});

test('[CL35] a large node that is kept as it was told, or a large edge, counts for as many as it takes the place of', () => {
  const large = ToldNode.of(node('a'), Buffer.alloc(10 * ITEM_BYTES), 0, true);
  const none = { addedNodes: [], removedNodeIds: [], addedEdges: [], removedEdgeIds: [], timestamp: '' };
  const held = new HeldGraph({ nodes: [large, node('b')], edges: [], lastUpdated: '' });
  assert.equal(held.items, 11);
  held.update({ ...none, addedNodes: [node('a'), large] });
  assert.equal(held.items, 11);
  held.update({ ...none, removedNodeIds: ['a'] });
  assert.equal(held.items, 1);
  const far = 'x'.repeat(5 * ITEM_BYTES);
  held.update({ ...none, addedNodes: [node(far)], addedEdges: [{ ...edge('b', far), id: 'e' }] });
  assert.equal(held.items, 2 + 5);
  held.update({ ...none, removedNodeIds: ['b'] });
  assert.equal(held.items, 1);
});

function byId({ nodes, edges, lastUpdated }: ExplanationGraph): object {
  const order = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);
  return { nodes: nodes.toSorted(order), edges: edges.toSorted(order), lastUpdated };
}
