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
import { assertDag } from '../support/assert-dag.ts';
import { batchOf, makeSpan, safe, worldArbitrary } from '../support/world.ts';

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

const SPAN_IDS = ['1', '2', '3'].map((digit) => digit.repeat(16));
const TRACE = 'a'.repeat(32);

/** Spans that tell of nodes that others tell of as well, or of none, with links to any. */
const retoldArbitrary = fc
  .record({
    spanId: fc.constantFrom(...SPAN_IDS, 'e'.repeat(16), 'f'.repeat(16)),
    nodeId: fc.constantFrom(
      `${TRACE}:${'1'.repeat(16)}`,
      'req:r1',
      'req:r2',
      'event:e1',
      'thought:1:req:r1',
      'x',
    ),
    type: fc.constantFrom('LLM_CALL', 'REASONING', 'OTHER'),
    taskId: fc.constantFrom('t1', 't2'),
    parent: fc.option(fc.constantFrom(...SPAN_IDS), { nil: undefined }),
    links: fc.array(fc.constantFrom(...SPAN_IDS, 'e'.repeat(16)), { maxLength: 2 }),
    state: fc.constantFrom('ENDED', 'RUNNING'),
  })
  .map(({ spanId, nodeId, type, taskId, parent, links, state }) =>
    safe(
      makeSpan({
        traceId: TRACE,
        spanId,
        parentSpanId: parent === spanId ? undefined : parent,
        attrs: {
          'explain.node.id': nodeId,
          'explain.node.type': type,
          'explain.node.task_id': taskId,
          'explain.node.state': state,
        },
        links: links.map((link) => ({ traceId: TRACE, spanId: link, attributes: new Map() })),
      }),
    ),
  );

test('[OX6] beside what senders say themselves, the order in which nodes are retold makes no difference', async () => {
  await fc.assert(
    fc.asyncProperty(
      worldArbitrary,
      fc.array(retoldArbitrary, { minLength: 1, maxLength: 6 }),
      fc.infiniteStream(fc.nat()),
      async (world, told, order) => {
        const [first, second] = [makeEngine().engine, makeEngine().engine];
        const records = [...world, ...told] as SafeRecord[];
        await first.correlator.consume(batchOf(records));
        const shuffled = records
          .map((record) => ({ record, place: order.next().value as number }))
          .sort((a, b) => a.place - b.place);
        for (const { record } of shuffled) await second.correlator.consume(batchOf([record]));
        const [one, other] = [await graphOf(first), await graphOf(second)];
        assertDag(other);
        assert.deepEqual(
          new Map(other.nodes.map((node) => [node.id, node])),
          new Map(one.nodes.map((node) => [node.id, node])),
        );
        assert.deepEqual(new Set(other.edges.map(({ id }) => id)), new Set(one.edges.map(({ id }) => id)));
      },
    ),
    propertyRuns(),
  );
});
