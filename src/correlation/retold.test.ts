import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplanationGraph } from '../model/node.ts';
import type { SafeRecord } from '../model/pipeline.ts';
import { makeEngine } from '../../test/support/make-engine.ts';
import { cot } from '../../test/support/records.ts';
import { batchOf, makeSpan, safe } from '../../test/support/world.ts';

const TRACE = 'a'.repeat(32);

function retold(
  nodeId: string,
  attrs: { readonly [key: string]: string } = {},
  spanId = '1'.repeat(16),
): SafeRecord {
  return safe(
    makeSpan({
      traceId: TRACE,
      spanId,
      attrs: {
        'explain.node.id': nodeId,
        'explain.node.type': 'LLM_CALL',
        'explain.node.agent': 'Told',
        'explain.node.task_id': 'T1',
        ...attrs,
      },
    }),
  );
}

async function graphOf(...batches: readonly SafeRecord[][]): Promise<ExplanationGraph> {
  const { engine } = makeEngine();
  for (const batch of batches) await engine.correlator.consume(batchOf(batch));
  return engine.reader.getGraph({ collapse: 'none' });
}

/** Whatever comes first. */
async function inBothOrders(a: SafeRecord, b: SafeRecord): Promise<ExplanationGraph> {
  const [graph, other] = [await graphOf([a], [b]), await graphOf([b], [a])];
  const { lastUpdated: _, ...shown } = graph;
  const { lastUpdated: __, ...shownOther } = other;
  assert.deepEqual(shownOther, shown);
  return graph;
}

test('[OX6] what a sender says itself of a span goes before what another service tells of it', async () => {
  const own = safe(makeSpan({ traceId: TRACE, attrs: { component: 'coder-agent' } }));
  const graph = await inBothOrders(own, retold(`${TRACE}:${'1'.repeat(16)}`));
  assert.deepEqual(
    graph.nodes.map(({ agent }) => agent),
    ['CoderAgent'],
  );
});

test('[OX6] a thought that is also told of itself is one node', async () => {
  const thought = cot('r1', { text: 'First this.\n\nThen that.', final: true, taskId: 'T1' });
  const told = retold('thought:1:req:r1', { 'explain.node.type': 'REASONING' });
  const graph = await inBothOrders(thought, told);
  assert.deepEqual(graph.nodes.map(({ id }) => id).toSorted(), [
    'req:r1',
    'thought:1:req:r1',
    'thought:2:req:r1',
  ]);
});

test('[OX6] what is told is joined with nothing by its texts or ids, but a child of it hangs from it', async () => {
  const told = retold('req:r1');
  const child = safe(
    makeSpan({
      traceId: TRACE,
      spanId: '2'.repeat(16),
      parentSpanId: '1'.repeat(16),
      attrs: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' },
    }),
  );
  const graph = await inBothOrders(told, child);
  assert.deepEqual(
    graph.edges.map(({ from, to }) => [from, to]),
    [['req:r1', `${TRACE}:${'2'.repeat(16)}`]],
  );
});

test('[OX6] two spans that tell of one node are one node, as the first of them says', async () => {
  const a = retold('req:r1', { 'explain.node.title': 'one' });
  const b = retold('req:r1', { 'explain.node.title': 'two' }, '2'.repeat(16));
  const graph = await inBothOrders(a, b);
  assert.deepEqual(
    graph.nodes.map(({ title }) => title),
    ['one'],
  );
});
