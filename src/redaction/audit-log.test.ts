import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { silentLogger } from '../telemetry/logger.ts';
import { AuditLog } from './audit-log.ts';
import type { AuditEntry } from './audit-log.ts';

const entry = (length: number): AuditEntry => ({ time: 1, rule: 'jwt', node: 'n', field: 'name', length });

async function lines(path: string): Promise<readonly unknown[]> {
  const text = await readFile(path, 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

test('[RD9] audit entries are lines of JSON, in order', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'audit-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'deep', 'audit.ndjson');
  const log = new AuditLog({ path, logger: silentLogger });
  for (let i = 0; i < 100; i++) log.write(entry(i));
  await log.flush();
  log.write(entry(100));
  await log.flush();
  assert.deepEqual(
    await lines(path),
    Array.from({ length: 101 }, (_, i) => entry(i)),
  );
});

test('[RD9] a full file is kept once beside the new one, and entries beyond the buffer are counted', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'audit-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'audit.ndjson');
  const log = new AuditLog({ path, logger: silentLogger, maxFileBytes: 100, maxBuffered: 3 });
  for (let i = 0; i < 5; i++) log.write(entry(i));
  await log.flush();
  log.write(entry(9));
  await log.flush();
  assert.deepEqual(await lines(`${path}.1`), [entry(0), entry(1), entry(2), { time: 1, lostEntries: 2 }]);
  assert.deepEqual(await lines(path), [entry(9)]);
});

test('[RD9] a disk that refuses is said in the log and stops nothing', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'audit-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'file'), '');
  const errors: object[] = [];
  const logger = { ...silentLogger, error: (fields: object) => void errors.push(fields) };
  const log = new AuditLog({ path: join(folder, 'file', 'audit.ndjson'), logger });
  log.write(entry(1));
  await log.flush();
  assert.equal(errors.length, 1);
});
