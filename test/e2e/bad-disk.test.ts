import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { loadSqlite } from '../../src/storage/index/sqlite-archive-index.ts';
import { temporaryFolder } from './real-service.ts';
import { SpawnedService } from './spawned-service.ts';
import { until } from './until.ts';

/** Of util-linux: changes the limits of a process that runs. */
const PRLIMIT = '/usr/bin/prlimit';
const SPANS_PER_BATCH = 10;
const MAX_BATCHES = 200;

interface Sent {
  readonly status: number;
  readonly ids: readonly string[];
  readonly retryAfter: string | null;
}

/** A trace with a text that is like no other. */
async function send(service: SpawnedService, batch: number): Promise<Sent> {
  const traceId = batch.toString(16).padStart(32, 'a');
  const spans = Array.from({ length: SPANS_PER_BATCH }, (_, index) => ({
    traceId,
    spanId: index.toString(16).padStart(16, 'b'),
    name: 'step',
    startTimeUnixNano: '1750000000000000000',
    endTimeUnixNano: '1750000001000000000',
    attributes: [{ key: 'input.value', value: { stringValue: `${batch}-${index} `.repeat(500) } }],
  }));
  const body = { resourceSpans: [{ scopeSpans: [{ spans }] }] };
  const answer = await service.post('/v1/traces', body);
  return {
    status: answer.status,
    ids: spans.map(({ spanId }) => `${traceId}:${spanId}`),
    retryAfter: answer.headers.get('retry-after'),
  };
}

async function idsIn(service: SpawnedService): Promise<readonly string[]> {
  const { nodes } = (await service.get('/api/graph?collapse=none')) as ExplanationGraph;
  return nodes.map(({ id }) => id).sort();
}

interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

/** Of every file that this process writes. */
function limitFileSize(service: SpawnedService, bytes: number | 'unlimited'): void {
  execFileSync(PRLIMIT, ['--pid', String(service.process.pid), `--fsize=${bytes}:unlimited`]);
}

test('[ST27] files that cannot grow: senders are told to come again, nothing refused is half there, and all that was acknowledged outlives it', async (t) => {
  if (!existsSync(PRLIMIT)) {
    t.skip(`there is no ${PRLIMIT} here`);
    return;
  }
  const dataDir = await temporaryFolder(t);
  const service = await SpawnedService.ready(t, dataDir);
  const acknowledged: string[] = [];
  let batch = 0;
  acknowledged.push(...(await send(service, ++batch)).ids);
  const log = join(dataDir, 'log');
  const written = Math.max(...readdirSync(log).map((name) => statSync(join(log, name)).size));
  // In the middle of some record.
  limitFileSize(service, written + 123_456);
  let refused: Sent | undefined;
  while (!refused && batch < MAX_BATCHES) {
    const sent = await send(service, ++batch);
    if (sent.status === 200) acknowledged.push(...sent.ids);
    else refused = sent;
  }
  assert.ok(refused, 'the limit is reached');
  assert.equal(refused.status, 503);
  assert.match(refused.retryAfter ?? '', /^\d+$/);
  const { ready, reasons } = (await service.get('/readyz')) as Readiness;
  assert.equal(ready, false);
  assert.match(reasons.join(), /log cannot be written \(EFBIG\)/);
  assert.deepEqual(await idsIn(service), acknowledged.toSorted());
  assert.equal((await fetch(`http://${service.readers}/healthz`)).status, 200);

  limitFileSize(service, 'unlimited');
  const again = await send(service, batch);
  assert.equal(again.status, 200, 'there is room again');
  acknowledged.push(...again.ids);
  assert.deepEqual(await service.get('/readyz'), { ready: true, reasons: [] });

  limitFileSize(service, Math.max(...readdirSync(log).map((name) => statSync(join(log, name)).size)) + 777);
  assert.equal((await send(service, ++batch)).status, 503);
  service.process.kill('SIGKILL');
  await service.exit();
  const next = await SpawnedService.ready(t, dataDir);
  assert.deepEqual(await idsIn(next), acknowledged.toSorted());
  assert.equal((await send(next, batch)).status, 200);
});

test('[ST34] a database that is locked under the running service is said in the log and in /readyz; it takes in, answers, and catches up after a restart', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await SpawnedService.ready(t, dataDir);
  const first = await send(service, 1);
  const lock = (await loadSqlite())?.(join(dataDir, 'explain_index.db'));
  t.after(() => lock?.close());
  lock?.exec('BEGIN IMMEDIATE');
  assert.equal((await service.post('/api/prune', { olderThanMinutes: 0 })).status, 200);
  await until('it is said', async () =>
    ((await service.get('/readyz')) as Readiness).reasons
      .join()
      .includes('index of the store cannot be used'),
  );
  assert.match(service.stdout + service.stderr, /the index of the store failed; the log itself goes on/);
  const second = await send(service, 2);
  assert.equal(second.status, 200);
  assert.equal((await fetch(`http://${service.readers}/healthz`)).status, 200);
  service.process.kill('SIGKILL');
  await service.exit();
  lock?.exec('ROLLBACK');
  const next = await SpawnedService.ready(t, dataDir);
  assert.deepEqual(await next.get('/readyz'), { ready: true, reasons: [] });
  assert.deepEqual(await idsIn(next), [...first.ids, ...second.ids].toSorted());
});
