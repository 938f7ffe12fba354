import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ManualClock, systemClock, type Clock } from '../base/clock.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { lockDataDir, type DataDirLock } from './data-dir-lock.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'lock-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

function lock(dataDir: string, waitMs = 0, clock: Clock = systemClock): Promise<DataDirLock> {
  return lockDataDir({ dataDir, waitMs, clock, logger: silentLogger });
}

const REFUSED = /dataDir \S+ is in use by another service: stop it/;

test('[ST13] a lock holds until it is released', async (t) => {
  const dir = folder(t);
  const held = await lock(dir);
  await assert.rejects(lock(dir), REFUSED);
  await assert.rejects(lock(dir), REFUSED, 'a refused attempt does not drop it');
  held.release();
  (await lock(dir)).release();
});

test('[ST36] a lock says when another folder with a lock of its own stands in place of its own', async (t) => {
  const dir = folder(t);
  const held = await lock(dir);
  assert.ok(!held.isReplaced);
  const moved = `${dir}-elsewhere`;
  t.after(() => rmSync(moved, { recursive: true, force: true }));
  renameSync(dir, moved);
  assert.ok(!held.isReplaced, 'nothing stands there');
  mkdirSync(dir);
  const other = await lock(dir);
  assert.ok(held.isReplaced);
  assert.ok(!other.isReplaced);
  other.release();
  held.release();
});

test('[ST13] of many that come at once one gets the lock', async (t) => {
  const dir = folder(t);
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => lock(dir)));
  const got = results.filter((result) => result.status === 'fulfilled');
  assert.equal(got.length, 1);
  got[0]?.value.release();
});

test('[ST13] a start waits for the holder, says so once, and gets the folder when the holder lets go', async (t) => {
  const dir = folder(t);
  const held = await lock(dir);
  const clock = new ManualClock();
  const said: string[] = [];
  const logger = { ...silentLogger, info: (_: object, message: string) => void said.push(message) };
  const waiting = lockDataDir({ dataDir: dir, waitMs: 5000, clock, logger });
  const tick = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(100);
  };
  for (let n = 0; n < 5; n++) await tick();
  assert.deepEqual(said, ['dataDir is in use by another service: waiting for it to go down']);
  held.release();
  await tick();
  const next = await waiting;
  const refused = assert.rejects(lock(dir, 5000, clock), REFUSED);
  for (let ms = 0; ms <= 5000; ms += 100) await tick();
  await refused;
  next.release();
});

test('[ST14] the lock ends with its process, also by SIGKILL', async (t) => {
  const dir = folder(t);
  const module = new URL('./data-dir-lock.ts', import.meta.url).href;
  const base = new URL('../base/clock.ts', import.meta.url).href;
  const script = `const { lockDataDir } = await import(${JSON.stringify(module)});
    const { systemClock } = await import(${JSON.stringify(base)});
    const dataDir = ${JSON.stringify(dir)};
    await lockDataDir({ dataDir, waitMs: 0, clock: systemClock, logger: console });
    console.log('locked'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script]);
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  await assert.rejects(lock(dir), REFUSED);
  const waiting = lock(dir, 60_000);
  child.kill('SIGKILL');
  (await waiting).release();
});

test('[ST14] a lock file of an earlier version does not hold the folder, whatever process it names', async (t) => {
  const dir = folder(t);
  const path = join(dir, 'explain.lock');
  for (const text of [JSON.stringify({ pid: process.ppid, host: 'h', id: 'x' }), 'not a lock', '']) {
    writeFileSync(path, text);
    (await lock(dir)).release();
    assert.equal(statSync(path).size, 0);
  }
});
