import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { lockDataDir } from './data-dir-lock.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'lock-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

const REFUSED = /dataDir is in use by another service/;

test('[ST13] a lock holds until it is released', async (t) => {
  const dir = folder(t);
  const lock = await lockDataDir(dir);
  await assert.rejects(lockDataDir(dir), REFUSED);
  await lock.release();
  assert.deepEqual(readdirSync(dir), []);
  await (await lockDataDir(dir)).release();
});

test('[ST13] of many that come at once one gets the lock', async (t) => {
  const dir = folder(t);
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(dir)));
  const got = results.filter((result) => result.status === 'fulfilled');
  assert.equal(got.length, 1);
  await got[0]?.value.release();
});

test('[ST14] the lock of a process that was killed is taken over, of one that lives not', async (t) => {
  const dir = folder(t);
  const module = new URL('./data-dir-lock.ts', import.meta.url).href;
  const script = `const { lockDataDir } = await import(${JSON.stringify(module)});
    await lockDataDir(${JSON.stringify(dir)}); console.log('locked'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script]);
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  await assert.rejects(lockDataDir(dir), new RegExp(`process ${child.pid} on`));
  child.kill('SIGKILL');
  await once(child, 'exit');
  const lock = await lockDataDir(dir);
  await lock.release();
});

test('[ST14] dead locks: our own number from an earlier life, an unreadable one, one of a host gone silent', async (t) => {
  const dir = folder(t);
  const path = join(dir, 'explain.lock');
  const take = async (text: string, ageMs = 0) => {
    writeFileSync(path, text);
    const touched = new Date(Date.now() - ageMs);
    utimesSync(path, touched, touched);
    await (await lockDataDir(dir)).release();
    assert(!existsSync(path));
  };
  await take(JSON.stringify({ pid: process.pid, host: hostname(), id: 'earlier' }));
  await take('not a lock');
  await take('');
  const elsewhere = JSON.stringify({ pid: 1, host: 'another-host', id: 'x' });
  await take(elsewhere, 61_000);
  await assert.rejects(take(elsewhere, 1000), REFUSED);
  assert.equal(readFileSync(path, 'utf8'), elsewhere);
});

test('[ST14] a release takes only its own lock away', async (t) => {
  const dir = folder(t);
  const lock = await lockDataDir(dir);
  const other = JSON.stringify({ pid: 1, host: 'another-host', id: 'x' });
  writeFileSync(join(dir, 'explain.lock'), other);
  await lock.release();
  assert.equal(readFileSync(join(dir, 'explain.lock'), 'utf8'), other);
});
