import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Logger } from '../../src/telemetry/logger.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { openLogStore, type LogStore, type LogStoreOptions } from '../../src/storage/log/log-store.ts';
import { loadSqlite } from '../../src/storage/index/sqlite-archive-index.ts';
import { hurriedPace } from '../support/hurried-pace.ts';
import { archived, leaving, recordStoreContract, restored, thought } from './record-store.contract.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'store-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function open(dataDir: string, more: Partial<LogStoreOptions> = {}): Promise<LogStore> {
  return openLogStore({
    dataDir,
    durability: 'log',
    maxBytes: 1e9,
    persistRetentionDays: 7,
    logger: silentLogger,
    ...more,
  });
}

recordStoreContract('log with SQLite', (t) => {
  const dataDir = folder(t);
  return Promise.resolve({ open: () => open(dataDir, { segmentBytes: 4096 }) });
});
recordStoreContract('log with its index in memory', (t) => {
  const dataDir = folder(t);
  return Promise.resolve({ open: () => open(dataDir, { index: 'memory', durability: 'fsync' }) });
});

function listening(): { readonly logger: Logger; readonly said: string[] } {
  const said: string[] = [];
  const say = (_fields: object, message: string): void => void said.push(message);
  return { said, logger: { debug() {}, info: say, warn: say, error: say } };
}

async function withArchive(dataDir: string): Promise<void> {
  const store = await open(dataDir);
  await store.append(['a', 'b'].map((id) => thought(id)));
  await store.archive('T', [leaving('T', 'req:a')]);
  await store.close();
}

async function assertWhole(store: LogStore): Promise<void> {
  assert.deepEqual(await restored(store), [JSON.stringify(thought('b').facts)]);
  assert.deepEqual(await archived(store, 'T'), ['req:a']);
  await store.close();
}

test('[ST34] an index that is no database is put aside and made anew from the log', async (t) => {
  const dataDir = folder(t);
  await withArchive(dataDir);
  writeFileSync(join(dataDir, 'explain_index.db'), 'this is no database, whatever it was before');
  const { logger, said } = listening();
  await assertWhole(await open(dataDir, { logger }));
  assert.match(said.join(), /put aside/);
  assert.ok(readdirSync(dataDir).includes('explain_index.db.damaged'));
});

test('[ST34] an index that is lost, or is that of another log, is made anew', async (t) => {
  const dataDir = folder(t);
  await withArchive(dataDir);
  rmSync(join(dataDir, 'explain_index.db'));
  await assertWhole(await open(dataDir));
  const other = folder(t);
  await withArchive(other);
  writeFileSync(join(dataDir, 'explain_index.db'), readFileSync(join(other, 'explain_index.db')));
  await assertWhole(await open(dataDir));
});

test('[ST34] an index that another program holds locked stops nothing', async (t) => {
  const dataDir = folder(t);
  await withArchive(dataDir);
  const database = (await loadSqlite())?.(join(dataDir, 'explain_index.db'));
  database?.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM record;');
  t.after(() => database?.close());
  const { logger, said } = listening();
  await assertWhole(await open(dataDir, { logger }));
  assert.match(said.join(), /put aside/);
});

test('[ST35] log, index and folder are for their owner alone', async (t) => {
  const dataDir = join(folder(t), 'made');
  await withArchive(dataDir);
  for (const name of readdirSync(dataDir, { recursive: true })) {
    const { mode } = statSync(join(dataDir, String(name)));
    assert.equal(mode & 0o077, 0, String(name));
  }
});

test('[ST13] a folder with an open log is not opened twice', async (t) => {
  const dataDir = folder(t);
  const store = await open(dataDir);
  await assert.rejects(open(dataDir), /in use by another service/);
  await store.close();
  await store.close();
  await (await open(dataDir)).close();
});

test('[ST27] what cannot be written is refused, to be sent again, and said for /readyz until it can', async (t) => {
  const dataDir = folder(t);
  const store = await open(dataDir, { segmentBytes: 4096 });
  await store.append([thought('a')]);
  rmSync(join(dataDir, 'log'), { recursive: true });
  // The next segment cannot be made: its folder is gone.
  const large = thought('b', 'x'.repeat(6000));
  await assert.rejects(store.append([large]), { code: 'UNAVAILABLE', retryAfterMs: 5000 });
  assert.match(store.problems.join(), /cannot be written \(ENOENT\)/);
  const { mkdirSync } = await import('node:fs');
  mkdirSync(join(dataDir, 'log'));
  await store.append([large]);
  assert.deepEqual(store.problems, []);
  await store.close();
});

test('[EL2] a large batch is written in pieces, and into the log as one', async (t) => {
  const dataDir = folder(t);
  let pauses = 0;
  const store = await open(dataDir, { pace: hurriedPace([40], () => pauses++) });
  const large = store.append(Array.from({ length: 1000 }, (_, n) => thought(`large ${n}`)));
  const small = store.append([thought('small')]);
  await Promise.all([large, small]);
  await store.close();
  assert.ok(pauses >= 20, `${pauses} pauses`);
  const again = await open(dataDir);
  t.after(() => again.close());
  const ids = (await restored(again)).map((facts) => (JSON.parse(facts) as { requestId: string }).requestId);
  assert.deepEqual(ids.sort(), [...Array.from({ length: 1000 }, (_, n) => `large ${n}`), 'small'].sort());
});
