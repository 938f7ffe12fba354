import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplanationGraph } from '../../src/model/node.ts';
import type { NodeDetail } from '../../src/model/reader-messages.ts';
import { temporaryFolder } from './real-service.ts';
import { SpawnedService } from './spawned-service.ts';
import { until } from '../support/until.ts';

const PRELOAD = new URL('./jumping-clock.ts', import.meta.url).href;
const TRACE = 'c'.repeat(32);

function span(digit: string, endNanos: string): object {
  return {
    traceId: TRACE,
    spanId: digit.repeat(16),
    name: `step ${digit}`,
    startTimeUnixNano: '1750000000000000000',
    endTimeUnixNano: endNanos,
  };
}

function traces(...spans: readonly object[]): object {
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] };
}

const thought = (text: string, sequence: number, final: boolean): object => ({
  requestId: 'r',
  timestamp: 1_750_000_000_000 + sequence,
  tokens: [text],
  sequence,
  final,
});

test('[ST29] a clock that jumps back by days changes nothing that is kept: what comes later still counts, and old nodes still leave memory', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await SpawnedService.ready(t, dataDir, [], { NODE_OPTIONS: `--import ${PRELOAD}` });
  const lastUpdated = async (): Promise<string> =>
    ((await service.get('/api/graph')) as ExplanationGraph).lastUpdated;
  await service.post(
    '/v1/traces',
    traces(span('1', '1750000001000000000'), span('2', '1750000001000000000')),
  );
  await service.post('/api/cot', thought('first ', 1, false));
  await until('it is in the graph', async () => (await lastUpdated()) !== '');
  const before = await lastUpdated();
  service.process.kill('SIGUSR2');
  // The same span with a later end, a new one, and the rest of a thought.
  await service.post(
    '/v1/traces',
    traces(span('2', '1750000005000000000'), span('3', '1750000001000000000')),
  );
  await service.post('/api/cot', thought('second', 2, true));
  await until('the clock has jumped', async () => (await lastUpdated()) < before);
  const told = async (): Promise<NodeDetail> => (await service.get('/api/nodes/req:r')) as NodeDetail;
  await until('the thought is whole', async () => (await told()).texts?.reasoning === 'first second');
  const { nodes } = (await service.get('/api/graph?collapse=none')) as ExplanationGraph;
  const names = nodes.map(({ name }) => name).sort();
  assert.deepEqual(
    names.filter((name) => name.startsWith('step')),
    ['step 1', 'step 2', 'step 3'],
  );
  assert.deepEqual(await service.get('/readyz'), { ready: true, reasons: [] });
  // What changed before the jump is not younger for it.
  const pruned = await service.post('/api/prune', { olderThanMinutes: 0 });
  assert.deepEqual(await pruned.json(), { prunedNodes: nodes.length });
  await until('they are read from the store', async () => {
    assert.equal(
      ((await service.get('/api/graph?collapse=none')) as ExplanationGraph).nodes.length,
      nodes.length,
    );
    return /^explain_nodes_in_memory 0$/m.test(
      await (await fetch(`http://${service.readers}/metrics`)).text(),
    );
  });
  service.process.kill('SIGKILL');
  await service.exit();

  const next = await SpawnedService.ready(t, dataDir);
  const graph = (await next.get('/api/graph?collapse=none')) as ExplanationGraph;
  assert.deepEqual(graph.nodes.map(({ name }) => name).sort(), names);
  assert.equal(graph.nodes.find(({ name }) => name === 'step 2')?.latencyMs, 5000);
  const detail = (await next.get('/api/nodes/req:r')) as NodeDetail;
  assert.equal(detail.texts?.reasoning, 'first second');
});
