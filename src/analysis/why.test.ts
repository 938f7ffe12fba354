import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeEngine } from '../../test/support/make-engine.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { batchOf, makeSpan, safe, worldArbitrary } from '../../test/support/world.ts';
import type { AttributeValue } from '../model/attributes.ts';
import type { SafeRecord } from '../model/pipeline.ts';
import { epochMs } from '../model/time.ts';
import type { WhyAnswer } from '../model/why.ts';
import { explainWhy } from './why.ts';

const START = 1_750_000_000_000;

interface Step {
  readonly n: number;
  readonly parent?: number;
  readonly links?: readonly number[];
  readonly name?: string;
  readonly at: number;
  readonly ms?: number;
  readonly failed?: string;
  readonly attrs?: { [key: string]: AttributeValue };
}

const spanId = (n: number): string => n.toString(16).padStart(16, '0');
const CALL = { 'model.name': 'm1', component: 'coder-agent' };

async function why(asked: number, steps: readonly Step[]): Promise<WhyAnswer & { named: string[] }> {
  const { engine } = makeEngine();
  const spans = steps.map(({ n, parent, links = [], name = `step ${n}`, at, ms = 10, failed, attrs = {} }) =>
    makeSpan({
      spanId: spanId(n),
      parentSpanId: parent === undefined ? undefined : spanId(parent),
      name,
      start: epochMs(START + at),
      end: epochMs(START + at + ms),
      status: failed === undefined ? 'OK' : 'ERROR',
      statusMessage: failed ?? '',
      links: links.map((link) => ({ traceId: 'a'.repeat(32), spanId: spanId(link), attributes: new Map() })),
      attrs,
    }),
  );
  await engine.correlator.consume(batchOf(spans.map((span) => safe(span) as SafeRecord)));
  const answer = await engine.reader.why(`a`.repeat(32) + ':' + spanId(asked));
  const number = (id: string): number => parseInt(id.slice(-16), 16);
  const named = answer.candidates.flatMap(({ nodeId, reasons }) =>
    reasons.map(({ rule }) => `${rule} ${number(nodeId)}`),
  );
  return { ...answer, named };
}

test('[AN2] the first error on the way comes first: what failed inside a failed step, with its message', async () => {
  const answer = await why(1, [
    { n: 1, at: 0, ms: 100, failed: 'the run failed' },
    { n: 2, parent: 1, at: 10, ms: 80 },
    { n: 3, parent: 2, at: 20, failed: 'disk full' },
    { n: 4, parent: 1, at: 50 },
  ]);
  assert.deepEqual(answer.named, ['firstError 3']);
  const [reason] = answer.candidates[0]?.reasons ?? [];
  assert.match(reason?.statement ?? '', /first of 2 steps .*disk full/);
  assert.equal(reason?.evidence.path.length, 3, 'from the tool through the step to the run');
  assert.equal(reason?.evidence.edgeIds.length, 2);
  assert.equal(answer.graph.nodes.length, 3, 'the step that went well is not on the way');
});

test('[AN2] an earlier failure that led here goes before the later one', async () => {
  const answer = await why(3, [
    { n: 1, at: 0, failed: 'timeout' },
    { n: 2, at: 20, links: [1] },
    { n: 3, at: 40, links: [2], failed: 'no answer' },
  ]);
  assert.deepEqual(answer.named, ['firstError 1']);
  assert.deepEqual(answer.candidates[0]?.reasons[0]?.evidence.nodeIds.length, 1);
});

test('[AN3] the LLM call from which the fewest edges lead to the failure', async () => {
  const answer = await why(4, [
    { n: 1, at: 0, attrs: CALL },
    { n: 2, at: 20, links: [1], attrs: CALL },
    { n: 3, at: 40, links: [2] },
    { n: 4, at: 60, links: [3], failed: '2 tests failed' },
  ]);
  assert.deepEqual(answer.named, ['firstError 4', 'nearestCall 2']);
  assert.match(answer.candidates[1]?.reasons[0]?.statement ?? '', /2 edges away/);
});

test('[AN3] a later failure has its own call beside the one of the first', async () => {
  const answer = await why(4, [
    { n: 1, at: 0, attrs: CALL },
    { n: 2, at: 20, links: [1], failed: 'rule broken' },
    { n: 3, at: 40, links: [2], attrs: CALL },
    { n: 4, at: 60, links: [3], failed: 'rule broken' },
  ]);
  assert.deepEqual(answer.named, ['firstError 2', 'nearestCall 1', 'nearestCall 3']);
});

test('[AN4] without an edge the last call that had ended under the closest parent, and it says that time alone says so', async () => {
  const answer = await why(5, [
    { n: 1, at: 0, ms: 100 },
    { n: 2, parent: 1, at: 10, attrs: CALL },
    { n: 3, parent: 1, at: 30, attrs: CALL },
    { n: 4, parent: 1, at: 70, attrs: CALL },
    { n: 5, parent: 1, at: 50, failed: 'exit 1' },
    { n: 6, at: 44, attrs: CALL },
  ]);
  assert.deepEqual(answer.named, ['firstError 5', 'precedingCall 3']);
  const [reason] = answer.candidates[1]?.reasons ?? [];
  assert.match(reason?.statement ?? '', /time alone/);
  assert.deepEqual(reason?.evidence.path, []);
});

test('[AN5] the last change of model of one agent before the failure; a dated name of one model is no change', async () => {
  const call = (model: string, component = 'coder-agent') => ({ 'model.name': model, component });
  const answer = await why(9, [
    { n: 1, at: 0, attrs: call('small') },
    { n: 2, at: 20, attrs: call('large') },
    { n: 3, at: 40, attrs: call('large-2025-01-01') },
    { n: 4, at: 50, attrs: call('other', 'critic-agent') },
    { n: 9, at: 60, links: [3], failed: 'wrong' },
    { n: 10, at: 80, attrs: call('late') },
  ]);
  assert.deepEqual(answer.named, ['firstError 9', 'nearestCall 3', 'modelChange 2']);
  assert.match(answer.candidates[2]?.reasons[0]?.statement ?? '', /CoderAgent called large, and small/);
});

test('[AN6] repeated attempts: the first that failed, with the others as evidence', async () => {
  const attempt = { name: 'run tests', failed: 'failed', attrs: { component: 'critic-agent' } };
  const answer = await why(3, [
    { n: 1, at: 0, ...attempt },
    { n: 2, at: 20, ...attempt },
    { n: 3, at: 40, ...attempt },
    { n: 4, at: 10, ...attempt, attrs: { component: 'coder-agent' } },
  ]);
  assert.deepEqual(answer.named, ['firstError 3', 'repeatedAttempt 1']);
  assert.match(answer.candidates[1]?.reasons[0]?.statement ?? '', /Attempt 3 .*2 earlier attempts failed/);
  assert.equal(answer.candidates[1]?.reasons[0]?.evidence.nodeIds.length, 2);
});

test('[AN7] an outlier on the way is named with the figures it was compared with; one elsewhere is not', async () => {
  const call = (cost: number) => ({ ...CALL, 'cost.usd': cost });
  const usual = [1, 2, 3, 4].map((n) => ({ n, at: n, attrs: call(0.01) }));
  const answer = await why(9, [
    ...usual,
    { n: 5, at: 10, attrs: call(0.9) },
    { n: 6, at: 11, attrs: call(0.8) },
    { n: 9, at: 60, links: [5], failed: 'wrong' },
  ]);
  assert.deepEqual(answer.named, ['firstError 9', 'nearestCall 5', 'costOutlier 5']);
  const figures = answer.candidates[1]?.reasons[1]?.evidence.figures;
  assert.deepEqual([figures?.value, figures?.median, figures?.compared], [0.9, 0.01, 6]);
});

test('[AN7] what contains steps takes as long as they do and is no outlier among them', async () => {
  const { engine } = makeEngine();
  const spans = Array.from({ length: 7 }, (_, i) =>
    makeSpan({
      spanId: spanId(i + 1),
      parentSpanId: i === 0 ? undefined : spanId(1),
      start: epochMs(START + i),
      end: epochMs(START + i + (i === 0 ? 5000 : 10)),
    }),
  );
  await engine.correlator.consume(batchOf(spans.map((span) => safe(span) as SafeRecord)));
  assert.deepEqual((await engine.reader.spikes(undefined)).spikes, []);
});

test('[AN8] a step that went well has a way back and no first error', async () => {
  const answer = await why(2, [
    { n: 1, at: 0 },
    { n: 2, at: 20, links: [1] },
  ]);
  assert.deepEqual(answer.named, []);
  assert.equal(answer.graph.edges.length, 1);
});

test('[AN9] the way back is bounded: the closest part stays, and it says that it was cut', async () => {
  const chain = Array.from({ length: 700 }, (_, i) => ({ n: i + 1, at: i, links: i === 0 ? [] : [i] }));
  const answer = await why(700, chain);
  assert.equal(answer.truncated, true);
  assert.equal(answer.graph.nodes.length, 500);
  assert.equal(answer.graph.nodes[0]?.id.slice(-4), (700).toString(16).padStart(4, '0'));
});

test('[AN1] any order of arrival gives the same answer; every path in it is made of edges', () =>
  fc.assert(
    fc.asyncProperty(worldArbitrary, fc.integer(), async (records, seed) => {
      const one = makeEngine().engine;
      const other = makeEngine().engine;
      await one.correlator.consume(batchOf(records));
      for (const record of shuffled(records, seed)) await other.correlator.consume(batchOf([record]));
      for (const node of one.graph.everything().nodes) {
        const answer = explainWhy(one.graph, node, '');
        const again = other.graph.node(node.id);
        assert.ok(again);
        assert.deepEqual(explainWhy(other.graph, again, ''), answer);
        assertPaths(answer);
      }
    }),
    propertyRuns(),
  ));

function assertPaths(answer: WhyAnswer): void {
  const edges = new Map(answer.graph.edges.map((edge) => [edge.id, edge]));
  const nodes = new Set(answer.graph.nodes.map(({ id }) => id));
  for (const { nodeId, reasons } of answer.candidates) {
    assert.ok(nodes.has(nodeId));
    for (const { evidence } of reasons) {
      for (const id of [...evidence.path, ...evidence.nodeIds]) assert.ok(nodes.has(id));
      if (evidence.path.length === 0) continue;
      assert.equal(evidence.path[0], nodeId);
      assert.equal(evidence.path.at(-1), answer.nodeId);
      evidence.edgeIds.forEach((id, i) => {
        const edge = edges.get(id);
        const ends = [edge?.from, edge?.to].sort();
        assert.deepEqual(ends, [evidence.path[i], evidence.path[i + 1]].sort());
      });
    }
  }
}

function shuffled<T>(items: readonly T[], seed: number): T[] {
  const keyed = items.map((item, i) => ({ item, key: Math.imul(i + 1, seed | 1) ^ (seed >>> (i % 16)) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
