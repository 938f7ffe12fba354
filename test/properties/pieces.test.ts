import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { assertDag } from '../support/assert-dag.ts';
import { hurriedPace } from '../support/hurried-pace.ts';
import { makeEngine, type TestEngine } from '../support/make-engine.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { Situations } from '../support/situations.ts';
import { TestClient } from '../support/test-client.ts';
import { batchOf, worldArbitrary } from '../support/world.ts';

const looksArbitrary = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 });

function wholeGraph({ engine }: TestEngine): Pick<ExplanationGraph, 'nodes' | 'edges'> {
  const { nodes, edges } = engine.reader.getGraph({ collapse: 'none' });
  return { nodes, edges };
}

test('[EL3] batches worked off in pieces, one in the pauses of the other, make the same graph, and readers follow', async (t) => {
  const seen = new Situations('pauses');
  await fc.assert(
    fc.asyncProperty(
      worldArbitrary,
      looksArbitrary,
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
      async (records, looks, sizes) => {
        seen.nextCase();
        const once = makeEngine({ inferEdges: true });
        await once.engine.correlator.consume(batchOf(records));
        const clients: TestClient[] = [];
        const pace = hurriedPace(looks, () => {
          seen.saw('pauses');
          target.engine.flush();
          assertDag(wholeGraph(target));
        });
        const target = makeEngine({ inferEdges: true, pace });
        clients.push(new TestClient(target.engine.reader, {}, 'none'));
        clients.push(new TestClient(target.engine.reader, { status: ['ERROR'] }, 'auto'));
        const taken: Promise<void>[] = [];
        let from = 0;
        for (let i = 0; from < records.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          taken.push(target.engine.correlator.consume(batchOf(records.slice(from, from + size))));
          from += size;
        }
        await Promise.all(taken);
        assert.deepEqual(wholeGraph(target), wholeGraph(once));
        target.engine.flush();
        for (const client of clients) {
          client.settle();
          await client.assertUpToDate();
        }
      },
    ),
    propertyRuns(),
  );
  seen.tell(t);
});

test('[EL3] what leaves memory in the pauses of a batch leaves a graph, and may come again', async () => {
  await fc.assert(
    fc.asyncProperty(worldArbitrary, looksArbitrary, fc.nat(), async (records, looks, pick) => {
      const once = makeEngine();
      await once.engine.correlator.consume(batchOf(records));
      let isFull = true;
      const pace = hurriedPace(looks, () => {
        const { nodes } = wholeGraph(target);
        const left = nodes[pick % Math.max(1, nodes.length)];
        if (isFull && left) target.engine.takeOut([left.id]);
        assertDag(wholeGraph(target));
      });
      const target = makeEngine({ pace });
      await target.engine.correlator.consume(batchOf(records));
      // What was joined with a node that left may be a node of its own now, and leaves the next time.
      for (let round = 0; round < records.length && target.engine.graph.nodeCount > 0; round++)
        target.engine.takeOut(wholeGraph(target).nodes.map(({ id }) => id));
      assert.deepEqual(wholeGraph(target), { nodes: [], edges: [] });
      isFull = false;
      await target.engine.correlator.consume(batchOf(records));
      assert.deepEqual(wholeGraph(target), wholeGraph(once));
      assert.equal(target.engine.correlator.bytes, once.engine.correlator.bytes);
    }),
    propertyRuns(),
  );
});
