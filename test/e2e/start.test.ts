import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { systemClock } from '../../src/base/clock.ts';
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { leaving, thought } from '../storage/record-store.contract.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import { SpawnedService } from './spawned-service.ts';
import { until } from '../support/until.ts';

const THREE_DAYS_MS = 3 * 86_400_000;

test('[LC2] what expired while the service was stopped is deleted as it starts, and counted', async (t) => {
  const dataDir = await temporaryFolder(t);
  const before = await openSqliteStore({
    dataDir,
    durability: 'log',
    maxBytes: 1e9,
    persistRetentionDays: 7,
    logger: silentLogger,
    clock: { ...systemClock, now: () => systemClock.now() - THREE_DAYS_MS },
  });
  await before.append([thought('expired')]);
  await before.archive('T', [leaving('T', 'req:expired')]);
  await before.close();

  const service = await RealService.start({ dataDir, flags: ['--persist-retention-days', '1'] });
  t.after(() => service.stop());
  assert.match(service.log, /deleted what is older than persistRetentionDays/);
  assert.deepEqual((await service.graph()).nodes, []);
  assert.match(await service.metrics(), /^explain_store_tasks_deleted_total\{reason="retention"\} 1$/m);
});

test('[LC3] a data folder or a configuration that cannot be used: one clear line and exit code 2', async (t) => {
  const home = await temporaryFolder(t);
  const lockIsFolder = join(home, 'lock-is-folder');
  await mkdir(join(lockIsFolder, 'explain.lock'), { recursive: true });
  const storeIsFolder = join(home, 'store-is-folder');
  await mkdir(join(storeIsFolder, 'explain.db'), { recursive: true });
  const oldSnapshot = join(home, 'old-snapshot');
  await mkdir(oldSnapshot);
  await writeFile(join(oldSnapshot, 'explain_graph.json'), '{"format":1,\n"nodes":[\n],');
  const file = join(home, 'file');
  await writeFile(file, '');
  const deep = join(home, 'deep.json');
  await writeFile(deep, '['.repeat(100_000));
  const unusable: readonly (readonly [dataDir: string, message: RegExp])[] = [
    [lockIsFolder, /a folder stands where a file belongs \(EISDIR\) \(at \S+explain\.lock\)/],
    [storeIsFolder, /a folder stands where a file belongs \(EISDIR\) \(at \S+explain\.db\)/],
    [oldSnapshot, /explain_graph\.json has format 1, and this version writes 2/],
    [file, /something there is not a folder \(ENOTDIR\)/],
    [join(file, 'below'), /something there is not a folder \(ENOTDIR\)/],
  ];
  for (const [dataDir, message] of unusable)
    await assert.rejects(RealService.start({ dataDir }), { code: 'FAILED_PRECONDITION', message });

  const ending: readonly (readonly [flags: readonly string[], line: RegExp])[] = [
    [
      ['--data-dir', '/proc/explain'],
      /^\S+ cannot start: dataDir \/proc\/explain cannot be used: it cannot be made there \(ENOENT\).*\n$/,
    ],
    [
      ['--config', deep],
      /^The configuration has problems:\n.*deep\.json: has more than 100 levels of brackets.*\n$/,
    ],
  ];
  await Promise.all(
    ending.map(async ([flags, line]) => {
      const service = new SpawnedService(t, home, ['serve', ...flags]);
      assert.equal(await service.exit(), 2, service.stderr);
      assert.match(service.stderr, line);
    }),
  );
});

test('[ST13] a start waits for a predecessor that is going down, and says so', async (t) => {
  const dataDir = await temporaryFolder(t);
  const first = await RealService.start({ dataDir });
  t.after(() => first.stop());
  const ports = ['--port', '0', '--otlp-grpc-port', '0', '--otlp-http-port', '0'];
  const second = new SpawnedService(t, dataDir, ['serve', ...ports, '--data-dir', dataDir]);
  await until('it waits', () =>
    second.stderr.includes('dataDir is in use by another service: waiting for it to go down'),
  );
  assert.equal(second.stdout, '');
  await first.stop();
  await until('it has the folder', () => second.stdout.endsWith('ready\n'));
});

test('[LC4] a data folder that others can write to, and a lost redaction key, are said at the start', async (t) => {
  const dataDir = await temporaryFolder(t);
  await chmod(dataDir, 0o770);
  const first = await RealService.start({ dataDir });
  await fetch(`${first.readers}/api/cot`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ requestId: 'r', timestamp: 1_750_000_000_000, text: 'a thought' }),
  });
  await first.stop();
  assert.match(first.log, /dataDir can be written by other users/);
  assert.doesNotMatch(first.log, /redaction\.key is missing/);

  await chmod(dataDir, 0o700);
  await rm(join(dataDir, 'redaction.key'));
  const second = await RealService.start({ dataDir });
  await second.stop();
  assert.match(second.log, /redaction\.key is missing beside records/);
  assert.doesNotMatch(second.log, /can be written by other users/);

  const third = await RealService.start({ dataDir });
  await third.stop();
  assert.doesNotMatch(third.log, /redaction\.key is missing/);
});

test('[ST38] explain_graph.json shows the graph after a crash and a restart, and after the clean stop that follows', async (t) => {
  const dataDir = await temporaryFolder(t);
  // What a crash leaves: the store, and no graph or an older one.
  const crashed = await openSqliteStore({
    dataDir,
    durability: 'log',
    maxBytes: 1e9,
    persistRetentionDays: 7,
    logger: silentLogger,
  });
  await crashed.append([thought('a'), thought('b')]);
  await crashed.close();
  const file = join(dataDir, 'explain_graph.json');
  const service = await RealService.start({ dataDir });
  t.after(() => service.stop());
  const ids = async (): Promise<readonly string[]> =>
    (JSON.parse(await readFile(file, 'utf8')) as ExplanationGraph).nodes.map(({ id }) => id).sort();
  const shown = (await service.graph()).nodes.map(({ id }) => id).sort();
  assert.ok(shown.length >= 2);
  await until('the file is written', () => existsSync(file));
  assert.deepEqual(await ids(), shown);
  await service.stop();
  assert.deepEqual(await ids(), shown);
});
