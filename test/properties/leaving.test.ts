import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ExplanationEdge, ExplanationNode } from '../../src/model/node.ts';
import { makeEngine, type TestEngine } from '../support/make-engine.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { StoreModel } from '../support/store-model.ts';
import { Situations } from '../support/situations.ts';
import { batchOf, worldArbitrary } from '../support/world.ts';
import type { SafeRecord } from '../../src/model/pipeline.ts';

interface Seen {
  readonly nodes: readonly ExplanationNode[];
  readonly edges: readonly ExplanationEdge[];
}

/** What is in memory together with what left it, in an order of its own. */
function sumOf({ engine }: TestEngine, store: StoreModel): Seen {
  const { nodes, edges } = engine.reader.getGraph({ collapse: 'none' });
  const left = [...store.left.values()];
  const byId = new Map([...nodes, ...left.map(({ node }) => node)].map((node) => [node.id, node]));
  assert.equal(byId.size, nodes.length + left.length, 'nothing is in memory and archived');
  const all = new Map([...edges, ...left.flatMap((one) => one.edges)].map((edge) => [edge.id, edge]));
  return { nodes: sorted(byId.values()), edges: sorted(all.values()) };
}

function sorted<T extends { readonly id: string }>(items: Iterable<T>): T[] {
  return [...items].sort((a, b) => (a.id < b.id ? -1 : 1));
}

test('[ST41] whatever leaves, in whatever pieces: what is archived and what stays are together as it was before', async () => {
  await fc.assert(
    fc.asyncProperty(
      worldArbitrary,
      fc.array(fc.tuple(fc.nat({ max: 30 }), fc.integer({ min: 1, max: 5 })), { minLength: 1, maxLength: 6 }),
      async (records, cuts) => {
        const store = new StoreModel();
        const target = makeEngine({ journal: store, archive: store });
        target.engine.onLeaving((nodes) => store.archive(nodes));
        await target.engine.correlator.consume(batchOf(records));
        // Of edges that contradict others, one that was left out may be there when another has left.
        const contradictory = target.engine.graph.edgesLeftOut > 0;
        const seen = (): Partial<Seen> => {
          const { nodes, edges } = sumOf(target, store);
          return contradictory ? { nodes } : { nodes, edges };
        };
        const before = seen();
        for (const [from, count] of cuts) {
          const ids = [...target.engine.graph.taskIds()].flatMap((id) => [
            ...target.engine.graph.nodesOfTask(id),
          ]);
          target.engine.takeOut(ids.slice(from % (ids.length + 1)).slice(0, count));
          assert.deepEqual(seen(), before);
        }
      },
    ),
    propertyRuns(),
  );
});

const SPAN_ID = /^[0-9a-f]{16}$/;

/** What comes for something that left is found by its trace and by ids; time alone, or a span id alone, is no way to it. */
function canBeFound(record: SafeRecord): boolean {
  if (record.kind === 'cot') return record.traceId !== undefined;
  if (record.kind === 'span') {
    const others = record.attributes.get('depends_on');
    return !Array.isArray(others) || !others.some((id) => SPAN_ID.test(String(id)));
  }
  if (record.kind !== 'event') return true;
  const { traceId, spanId, nodeId } = record.payload;
  const isSpanId = typeof nodeId === 'string' && SPAN_ID.test(nodeId);
  return (spanId === undefined || traceId !== undefined) && !isSpanId;
}

test('[ST42] late records find what left memory: the graph is as if nothing had ever left', async (t) => {
  const seen = new Situations('cameBack', 'restarts', 'stayedAway');
  const step = fc.record({
    size: fc.integer({ min: 1, max: 8 }),
    leave: fc.option(fc.tuple(fc.nat({ max: 30 }), fc.integer({ min: 1, max: 30 })), { nil: undefined }),
    restart: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(worldArbitrary, fc.array(step, { minLength: 2, maxLength: 8 }), async (world, steps) => {
      seen.nextCase();
      const records = world.filter(canBeFound);
      const store = new StoreModel();
      const start = (): TestEngine => {
        const made = makeEngine({ journal: store, archive: store });
        made.engine.onLeaving((nodes) => store.archive(nodes));
        return made;
      };
      let target = start();
      let from = 0;
      for (const { size, leave, restart } of [
        ...steps,
        { size: records.length, leave: undefined, restart: false },
      ]) {
        const before = store.left.size;
        await target.engine.correlator.consume(batchOf(records.slice(from, from + size)));
        if (store.left.size < before) seen.saw('cameBack');
        from += size;
        const ids = [...target.engine.graph.taskIds()].flatMap((id) => [
          ...target.engine.graph.nodesOfTask(id),
        ]);
        if (leave) target.engine.takeOut(ids.slice(leave[0] % (ids.length + 1)).slice(0, leave[1]));
        if (!restart) continue;
        seen.saw('restarts');
        target.engine.stop();
        target = start();
        await target.engine.correlator.replay(store.restore());
      }
      const whole = makeEngine();
      await whole.engine.correlator.consume(batchOf(records));
      if (store.left.size > 0) seen.saw('stayedAway');
      const expected = sumOf(whole, new StoreModel());
      const found = sumOf(target, store);
      assert.deepEqual(found.nodes, expected.nodes);
      if (whole.engine.graph.edgesLeftOut === 0) assert.deepEqual(found.edges, expected.edges);
    }),
    propertyRuns(),
  );
  seen.tell(t);
});
