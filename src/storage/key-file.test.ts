import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadOrCreateKey } from './key-file.ts';

function keyPath(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'key-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'data', 'redaction.key');
}

test('[ST16] the key is made once, has 32 bytes, and is for its owner alone', async (t) => {
  const path = keyPath(t);
  const key = await loadOrCreateKey(path);
  assert.equal(key.length, 32);
  assert.deepEqual(await loadOrCreateKey(path), key);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.notDeepEqual(await loadOrCreateKey(keyPath(t)), key);
});

test('[ST16] all who make it at the same time get the same key', async (t) => {
  const path = keyPath(t);
  const keys = await Promise.all(Array.from({ length: 8 }, () => loadOrCreateKey(path)));
  assert.equal(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size, 1);
  assert.deepEqual(readdirSync(join(path, '..')), ['redaction.key']);
});

test('[ST16] a file that holds no key is refused and left alone; a key open to others is closed', async (t) => {
  const path = keyPath(t);
  await loadOrCreateKey(path);
  writeFileSync(path, 'short');
  await assert.rejects(loadOrCreateKey(path), /does not hold 32 bytes/);
  assert.equal(statSync(path).size, 5);
  writeFileSync(path, Buffer.alloc(32, 1), { mode: 0o644 });
  rmSync(path);
  writeFileSync(path, Buffer.alloc(32, 1), { mode: 0o644 });
  await loadOrCreateKey(path);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});
