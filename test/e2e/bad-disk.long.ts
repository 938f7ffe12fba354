import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import { SpawnedService } from './spawned-service.ts';
import { until } from '../support/until.ts';

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

async function refusing(service: SpawnedService): Promise<string> {
  return (await fetch(`http://${service.readers}/metrics`)).text();
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
  const largest = (): number =>
    Math.max(...readdirSync(dataDir).map((name) => statSync(join(dataDir, name)).size));
  const written = largest();
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
  assert.match(reasons.join(), /store cannot be written \(EIO\): the disk is full/);
  assert.deepEqual(await idsIn(service), acknowledged.toSorted());
  assert.equal((await fetch(`http://${service.readers}/healthz`)).status, 200);

  assert.equal((await send(service, batch)).status, 503);
  const linesOf = (text: string): number => service.stderr.split(text).length - 1;
  assert.equal(
    linesOf('the store cannot be written: the disk is full or fails'),
    1,
    'one line when it begins',
  );
  assert.match(await refusing(service), /^explain_store_refusing 1$/m);

  limitFileSize(service, 'unlimited');
  await until('it finds out by itself', async () => ((await service.get('/readyz')) as Readiness).ready);
  assert.equal(linesOf('the store can be written again'), 1, 'one line when it ends');
  assert.match(await refusing(service), /^explain_store_refusing 0$/m);
  const again = await send(service, batch);
  assert.equal(again.status, 200, 'there is room again');
  acknowledged.push(...again.ids);
  assert.deepEqual(await service.get('/readyz'), { ready: true, reasons: [] });

  limitFileSize(service, largest() + 777);
  assert.equal((await send(service, ++batch)).status, 503);
  service.process.kill('SIGKILL');
  await service.exit();
  const next = await SpawnedService.ready(t, dataDir);
  assert.deepEqual(await idsIn(next), acknowledged.toSorted());
  assert.equal((await send(next, batch)).status, 200);
});

test('[ST36] the folder or a file of the store is removed under the running service: refused at once, said in /readyz, and over when it is put back', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await RealService.start({ dataDir });
  // It says what it could not store any more.
  t.after(() => service.stop().catch(() => {}));
  const entry = (sequence: number): Promise<Response> =>
    fetch(`${service.readers}/api/cot`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        requestId: 'r',
        timestamp: 1_750_000_000_000,
        text: 'a thought',
        sequence,
        final: true,
      }),
    });
  const readiness = async (): Promise<string> => (await fetch(`${service.readers}/readyz`)).text();
  assert.equal((await entry(1)).status, 202);
  const moved = `${dataDir}-elsewhere`;
  renameSync(dataDir, moved);
  t.after(() => rmSync(moved, { recursive: true, force: true }));
  assert.equal((await entry(2)).status, 503);
  assert.match(await readiness(), /store cannot be written \(STORE_REMOVED\): its files were removed/);
  renameSync(moved, dataDir);
  await until('it finds out by itself', async () => (await readiness()).includes('"ready":true'));
  assert.equal((await entry(3)).status, 202);
  rmSync(join(dataDir, 'explain.db'));
  await until('it finds out by itself', async () => (await readiness()).includes('STORE_REMOVED'));
  assert.equal((await entry(4)).status, 503);
});

test('[ST36] a service whose folder was moved away writes no graph into the folder of the one that took its place', async (t) => {
  const dataDir = await temporaryFolder(t);
  const old = await SpawnedService.ready(t, dataDir);
  let batch = 0;
  assert.equal((await send(old, ++batch)).status, 200);
  const moved = `${dataDir}-elsewhere`;
  renameSync(dataDir, moved);
  t.after(() => rmSync(moved, { recursive: true, force: true }));
  mkdirSync(dataDir);
  const file = join(dataDir, 'explain_graph.json');
  const next = await SpawnedService.ready(t, dataDir);
  await until('it has written its graph', () => existsSync(file));
  const own = readFileSync(file, 'utf8');
  old.process.kill('SIGTERM');
  await old.exit();
  assert.equal(readFileSync(file, 'utf8'), own);
  assert.deepEqual(await idsIn(next), []);
});
