import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { tracesJson } from '../../src/exporters/otlp/traces-json.ts';
import type { ExplanationGraph } from '../../src/model/node.ts';
import type { SafeRecord } from '../../src/model/pipeline.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../../src/receivers/config.ts';
import { decodeOtlp } from '../../src/receivers/otlp/decode.ts';
import type { Engine } from '../../src/service/engine.ts';
import { detailsOf } from '../../src/subscriptions/task-content.ts';
import { makeEngine } from '../support/make-engine.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { batchOf, safe, worldArbitrary } from '../support/world.ts';

async function graphOf({ reader }: Engine): Promise<ExplanationGraph> {
  return reader.getGraph({ collapse: 'none' });
}

/** The whole of an engine as OTLP, read as a receiver reads it. */
async function retold(engine: Engine): Promise<SafeRecord[]> {
  const graph = await graphOf(engine);
  let body = '';
  for await (const piece of tracesJson(
    graph,
    detailsOf(engine.reader, graph.nodes, () => true),
  ))
    body += piece;
  const { records, rejected } = decodeOtlp('traces', 'json', Buffer.from(body), DEFAULT_RECEIVER_LIMITS, 0);
  assert.equal(rejected, 0);
  return records.map((record) => safe(record) as SafeRecord);
}

function shown({ reader }: Engine, graph: ExplanationGraph): unknown {
  const texts = new Map<string, unknown>();
  for (const { id } of graph.nodes) texts.set(id, reader.getNode(id).texts);
  return {
    nodes: new Map(graph.nodes.map((node) => [node.id, node])),
    edges: new Map(graph.edges.map((edge) => [edge.id, edge])),
    texts,
  };
}

test('[OX1] a second service that takes what the first exports shows the same graph', async () => {
  await fc.assert(
    fc.asyncProperty(worldArbitrary, fc.integer({ min: 1, max: 9 }), async (world, chunk) => {
      const first = makeEngine().engine;
      await first.correlator.consume(batchOf(world));
      const second = makeEngine().engine;
      const records = await retold(first);
      for (let at = 0; at < records.length; at += chunk)
        await second.correlator.consume(batchOf(records.slice(at, at + chunk).toReversed()));
      const graph = await graphOf(first);
      assert.deepEqual(shown(second, await graphOf(second)), shown(first, graph));
      assert.deepEqual(await retold(second), records, 'exported again it is the same');
    }),
    propertyRuns(),
  );
});
