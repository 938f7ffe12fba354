import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ExplanationGraph } from '../../src/model/node.ts';
import type { SafeRecord } from '../../src/model/pipeline.ts';
import { assertDag } from '../support/assert-dag.ts';
import { makeEngine, type TestEngine } from '../support/make-engine.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { batchOf, worldArbitrary } from '../support/world.ts';

/** The whole graph, in an order of its own. */
function wholeGraph({ engine }: TestEngine): Pick<ExplanationGraph, 'nodes' | 'edges'> {
  const { nodes, edges } = engine.reader.getGraph({ collapse: 'none' });
  return { nodes, edges };
}

async function feed(
  target: TestEngine,
  records: readonly SafeRecord[],
  sizes: readonly number[],
): Promise<void> {
  let from = 0;
  for (let i = 0; from < records.length; i++) {
    const size = Math.max(1, sizes[i % Math.max(1, sizes.length)] ?? 1);
    await target.engine.correlator.consume(batchOf(records.slice(from, from + size)));
    from += size;
  }
}

/** The same records in another order, some of them twice, cut into other batches. */
const replayArbitrary = worldArbitrary.chain((records) =>
  fc.record({
    records: fc.constant(records),
    again: fc
      .shuffledSubarray(records, { maxLength: Math.min(5, records.length) })
      .chain((twice) =>
        fc.shuffledSubarray([...records, ...twice], { minLength: records.length + twice.length }),
      ),
    sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
  }),
);

test('[CO1] any arrival order, batching and duplication of the same records give the same graph', async () => {
  await fc.assert(
    fc.asyncProperty(replayArbitrary, async ({ records, again, sizes }) => {
      const once = makeEngine({ inferEdges: true });
      await feed(once, records, [records.length]);
      const other = makeEngine({ inferEdges: true });
      await feed(other, again, sizes);
      assert.deepEqual(wholeGraph(other), wholeGraph(once));
    }),
    propertyRuns(),
  );
});

test('[GR1] the graph has no cycle and no edge without both its nodes, at any moment', async () => {
  await fc.assert(
    fc.asyncProperty(replayArbitrary, async ({ again, sizes }) => {
      const target = makeEngine({ inferEdges: true });
      let from = 0;
      for (const size of [...sizes, again.length]) {
        await target.engine.correlator.consume(batchOf(again.slice(from, from + size)));
        from += size;
        assertDag(wholeGraph(target));
        assertDag(target.engine.reader.getGraph({}));
      }
    }),
    propertyRuns(),
  );
});

test('[CO2] a restart from the facts gives the same graph', async () => {
  await fc.assert(
    fc.asyncProperty(worldArbitrary, fc.nat({ max: 30 }), async (records, cut) => {
      const whole = makeEngine({ inferEdges: true });
      await feed(whole, records, [7]);
      const before = makeEngine({ inferEdges: true });
      await feed(before, records.slice(0, cut), [7]);
      const after = makeEngine({ inferEdges: true });
      await after.engine.correlator.replay(structuredClone([...before.engine.correlator.facts()]));
      await feed(after, records.slice(cut), [3]);
      assert.deepEqual(wholeGraph(after), wholeGraph(whole));
    }),
    propertyRuns(),
  );
});
