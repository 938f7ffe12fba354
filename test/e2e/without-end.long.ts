import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { temporaryFolder } from './real-service.ts';
import { SpawnedService } from './spawned-service.ts';
import { until } from '../support/until.ts';

const MAX_MEMORY_BYTES = 1024 * 1024;
const MAX_NODES_PER_TASK = 100;
const FLAGS = [
  '--max-memory-bytes',
  String(MAX_MEMORY_BYTES),
  '--max-nodes-per-task',
  String(MAX_NODES_PER_TASK),
];
const BATCHES = 25;
const SPANS_PER_BATCH = 200;
const ALL = BATCHES * SPANS_PER_BATCH;

type TaskOf = (span: number) => { readonly task: string; readonly traceId: string };

/** Spans without an end to them; each fails, so that nothing about them is routine. */
async function sendAll(service: SpawnedService, of: TaskOf): Promise<void> {
  for (let batch = 0; batch < BATCHES; batch++) {
    const spans = Array.from({ length: SPANS_PER_BATCH }, (_, index) => {
      const number = batch * SPANS_PER_BATCH + index;
      const { task, traceId } = of(number);
      return {
        traceId,
        spanId: (number + 1).toString(16).padStart(16, '0'),
        name: `step ${number}`,
        startTimeUnixNano: String(1_750_000_000_000_000_000n + BigInt(number) * 1_000_000n),
        endTimeUnixNano: String(1_750_000_001_000_000_000n + BigInt(number) * 1_000_000n),
        status: { code: 2 },
        attributes: [{ key: 'taskID', value: { stringValue: task } }],
      };
    });
    const answer = await service.post('/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans }] }] });
    assert.equal(answer.status, 200);
  }
}

async function metric(service: SpawnedService, name: string): Promise<number> {
  const text = await (await fetch(`http://${service.readers}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
}

/** Memory is what it may be, most nodes are no longer in it, and all can be read, also after a crash. */
async function checkBounded(
  service: SpawnedService,
  again: () => Promise<SpawnedService>,
): Promise<SpawnedService> {
  await until('memory is within its limit', async () => {
    return (await metric(service, 'explain_memory_estimated')) <= MAX_MEMORY_BYTES;
  });
  assert.ok((await metric(service, 'explain_nodes_in_memory')) < ALL / 2);
  assert.match(service.stdout + service.stderr, /memory limit reached: the oldest tasks left memory/);
  assert.deepEqual(await service.get('/readyz'), { ready: true, reasons: [] });
  const names = async (of: SpawnedService): Promise<number> => {
    const { nodes } = (await of.get('/api/graph?collapse=none')) as ExplanationGraph;
    return new Set(nodes.map(({ name }) => name).filter((name) => name.startsWith('step '))).size;
  };
  assert.equal(await names(service), ALL);
  service.process.kill('SIGKILL');
  await service.exit();
  const next = await again();
  assert.equal(await names(next), ALL);
  await until('memory is within its limit', async () => {
    return (await metric(next, 'explain_memory_estimated')) <= MAX_MEMORY_BYTES;
  });
  return next;
}

test('[ST22] a task that grows without end keeps within memory and within what a reader is shown, and loses nothing', async (t) => {
  const dataDir = await temporaryFolder(t);
  const start = (): Promise<SpawnedService> => SpawnedService.ready(t, dataDir, FLAGS);
  const service = await start();
  await sendAll(service, () => ({ task: 'T-endless', traceId: 'e'.repeat(32) }));
  const shown = (await service.get('/api/graph?taskIds=T-endless')) as ExplanationGraph;
  assert.ok(shown.nodes.length <= MAX_NODES_PER_TASK, `${shown.nodes.length} nodes are shown`);
  assert.ok(shown.nodes.length > 1);
  await checkBounded(service, start);
});

test('[ST22] thousands of tasks of one span keep within memory, and each can be read', async (t) => {
  const dataDir = await temporaryFolder(t);
  const start = (): Promise<SpawnedService> => SpawnedService.ready(t, dataDir, FLAGS);
  const service = await start();
  await sendAll(service, (span) => ({
    task: `T-${span}`,
    traceId: (span + 1).toString(16).padStart(32, 'd'),
  }));
  const next = await checkBounded(service, start);
  for (const number of [0, 1, ALL / 2, ALL - 1]) {
    const { nodes } = (await next.get(`/api/graph?collapse=none&taskIds=T-${number}`)) as ExplanationGraph;
    assert.deepEqual(
      nodes.map(({ name, taskId }) => [name, taskId]),
      [[`step ${number}`, `T-${number}`]],
    );
  }
});
