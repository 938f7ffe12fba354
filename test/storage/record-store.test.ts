import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { silentLogger, type Logger } from '../../src/telemetry/logger.ts';
import {
  openSqliteStore,
  type SqliteStore,
  type SqliteStoreOptions,
} from '../../src/storage/sqlite/sqlite-store.ts';
import { hurriedPace } from '../support/hurried-pace.ts';
import { archived, leaving, recordStoreContract, restored, thought } from './record-store.contract.ts';

/** Of util-linux: limits the size of files, as a full disk does. */
const PRLIMIT = '/usr/bin/prlimit';
const STORE = new URL('../../src/storage/sqlite/sqlite-store.ts', import.meta.url).href;
const CONTRACT = new URL('record-store.contract.ts', import.meta.url).href;

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'store-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function open(dataDir: string, more: Partial<SqliteStoreOptions> = {}): Promise<SqliteStore> {
  return openSqliteStore({
    dataDir,
    durability: 'log',
    maxBytes: 1e9,
    persistRetentionDays: 7,
    logger: silentLogger,
    ...more,
  });
}

for (const durability of ['log', 'fsync'] as const)
  recordStoreContract(`SQLite with durability ${durability}`, (t) => {
    const dataDir = folder(t);
    return Promise.resolve({ open: () => open(dataDir, { durability }) });
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

async function assertWhole(store: SqliteStore): Promise<void> {
  assert.deepEqual(await restored(store), [JSON.stringify(thought('b').facts)]);
  assert.deepEqual(await archived(store, 'T'), ['req:a']);
  await store.close();
}

test('[ST34] a store that is no database is put aside, and another begun', async (t) => {
  const dataDir = folder(t);
  await withArchive(dataDir);
  writeFileSync(join(dataDir, 'explain.db'), 'this is no database, whatever it was before');
  const { logger, said } = listening();
  const store = await open(dataDir, { logger });
  assert.deepEqual(await restored(store), []);
  await store.append([thought('new')]);
  await store.close();
  assert.match(said.join(), /put aside/);
  assert.ok(readdirSync(dataDir).some((name) => name.startsWith('explain.db.damaged-')));
  const again = await open(dataDir);
  assert.deepEqual(await restored(again), [JSON.stringify(thought('new').facts)]);
  await again.close();
});

test('[ST34] damage that is met while the service runs: what can be read is kept, and it goes on', async (t) => {
  const dataDir = folder(t);
  const store = await open(dataDir);
  const all = Array.from({ length: 200 }, (_, n) => thought(`r${n}`, 'word '.repeat(1000)));
  await store.append(all);
  await store.close();
  const path = join(dataDir, 'explain.db');
  const bytes = readFileSync(path);
  // Of facts and texts: most pages are.
  bytes.fill(0xff, bytes.length - 3 * 16_384, bytes.length - 2 * 16_384);
  writeFileSync(path, bytes);
  const { logger, said } = listening();
  const again = await open(dataDir, { logger });
  t.after(() => again.close());
  assert.deepEqual(said, [], 'a start after a clean end does not look at all of it');
  const found = await restored(again);
  assert.match(said.join(), /put aside, and what could be read of it is kept/);
  assert.ok(found.length >= 190 && found.length < 200, `${found.length} of 200`);
  await again.append([thought('new')]);
  assert.equal((await restored(again)).length, found.length + 1);
});

test('[ST34] a repair that fails while the service runs is tried again', async (t) => {
  const dataDir = folder(t);
  const store = await open(dataDir);
  await store.append(Array.from({ length: 200 }, (_, n) => thought(`r${n}`, 'word '.repeat(1000))));
  await store.close();
  const path = join(dataDir, 'explain.db');
  const bytes = readFileSync(path);
  bytes.fill(0xff, bytes.length - 3 * 16_384, bytes.length - 2 * 16_384);
  writeFileSync(path, bytes);
  const inTheWay = join(dataDir, 'explain.db.new');
  mkdirSync(inTheWay);
  const again = await open(dataDir);
  t.after(() => again.close());
  await assert.rejects(restored(again));
  await assert.rejects(again.append([thought('refused')]), { code: 'UNAVAILABLE' });
  rmdirSync(inTheWay);
  await again.append([thought('new')]);
  assert.ok((await restored(again)).length > 190);
});

test('[ST24] a store of a newer version is refused and left alone', async (t) => {
  const dataDir = folder(t);
  await withArchive(dataDir);
  const path = join(dataDir, 'explain.db');
  const database = new DatabaseSync(path);
  database.exec('PRAGMA user_version = 3');
  database.close();
  const before = readFileSync(path);
  await assert.rejects(open(dataDir), {
    code: 'FAILED_PRECONDITION',
    message: /the store has format 3, and this version reads 2: use the version that wrote it/,
  });
  assert.deepEqual(readFileSync(path), before);
});

test('[ST13] a database that another program has open is waited for some seconds, and then said', async (t) => {
  const dataDir = folder(t);
  await withArchive(dataDir);
  const database = new DatabaseSync(join(dataDir, 'explain.db'));
  database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
  await assert.rejects(open(dataDir), {
    code: 'FAILED_PRECONDITION',
    message: /explain\.db in dataDir \S+ is in use by another program: stop it/,
  });
  database.close();
  await assertWhole(await open(dataDir));
});

test('[ST13] found: who removes the lock file does not get a second service into the store', async (t) => {
  const dataDir = folder(t);
  const store = await open(dataDir);
  t.after(() => store.close());
  rmSync(join(dataDir, 'explain.lock'));
  await assert.rejects(open(dataDir), /is in use by another program/);
  await store.append([thought('a')]);
});

test('[ST37] a start on a disk that takes nothing more: what is there is restored, and what is sent is refused', (t) => {
  if (!existsSync(PRLIMIT)) {
    t.skip(`there is no ${PRLIMIT} here`);
    return;
  }
  const dataDir = folder(t);
  const script = (work: string): string => `
    const { openSqliteStore } = await import(${JSON.stringify(STORE)});
    const { thought, restored } = await import(${JSON.stringify(CONTRACT)});
    const { writeSync } = await import('node:fs');
    const say = (...all) => writeSync(1, all.map((one) => JSON.stringify(one)).join(' ') + '\\n');
    const logger = { debug() {}, info: say, warn: say, error: say };
    const store = await openSqliteStore({
      dataDir: ${JSON.stringify(dataDir)}, durability: 'log', maxBytes: 1e9, persistRetentionDays: 7, logger,
    });
    ${work}
    process.kill(process.pid, 'SIGKILL');`;
  const runIn = (command: readonly [string, ...string[]], work: string): string => {
    const [file, ...args] = command;
    const program = join(folder(t), 'program.mjs');
    writeFileSync(program, script(work));
    return spawnSync(file, [...args, program], { encoding: 'utf8' }).stdout;
  };
  const node: readonly [string] = [process.execPath];
  runIn(node, `await store.append([thought('a')]);`);
  const said = runIn(
    [PRLIMIT, '--fsize=1:unlimited', ...node],
    `const answer = await store.append([thought('b')]).then(() => 'kept', (error) => error.code);
     say((await restored(store)).length, answer);`,
  );
  assert.match(said, /^1 "UNAVAILABLE"$/m);
  assert.doesNotMatch(said, /damaged/);
  assert.match(runIn(node, `say((await restored(store)).length)`), /^1$/m);
});

test('[ST35] the store and its folder are for their owner alone', async (t) => {
  const dataDir = join(folder(t), 'made');
  await withArchive(dataDir);
  for (const name of readdirSync(dataDir, { recursive: true })) {
    const { mode } = statSync(join(dataDir, String(name)));
    assert.equal(mode & 0o077, 0, String(name));
  }
});

test('[ST13] a folder with an open store is not opened twice', async (t) => {
  const dataDir = folder(t);
  const store = await open(dataDir);
  await assert.rejects(open(dataDir), /in use by another service/);
  await store.close();
  await store.close();
  await (await open(dataDir)).close();
});

test('[ST40] what is asked while the store closes is refused as by a service that shuts down', async (t) => {
  const store = await open(folder(t));
  assert.equal(await store.archivedNode('a'), undefined);
  const closed = store.close();
  const during = assert.rejects(store.archivedNode('a'), { code: 'UNAVAILABLE' });
  await closed;
  await during;
  await assert.rejects(store.texts(['a']), { code: 'UNAVAILABLE' });
  await assert.rejects(store.archivedTasks(), { code: 'UNAVAILABLE' });
});

test('[ST36] what is written to files that were removed is refused, to be sent again, and said for /readyz until they are back', async (t) => {
  for (const name of ['', 'explain.db', 'explain.db-wal']) {
    const dataDir = join(folder(t), 'data');
    const path = join(dataDir, name);
    const store = await open(dataDir);
    await store.append([thought('a')]);
    renameSync(path, `${join(dataDir, '.')}.moved`);
    await assert.rejects(store.append([thought('b')]), {
      code: 'UNAVAILABLE',
      retryAfterMs: 5000,
      message: /\(STORE_REMOVED\): its files were removed/,
    });
    assert.match(store.problems.join(), /cannot be written \(STORE_REMOVED\)/);
    renameSync(`${join(dataDir, '.')}.moved`, path);
    await store.append([thought('c')]);
    assert.deepEqual(store.problems, []);
    await store.close();
    const again = await open(dataDir);
    assert.equal((await restored(again)).length, 2);
    await again.close();
  }
});

test('[EL2] a large batch is written in pieces, and into the store as one', async (t) => {
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
