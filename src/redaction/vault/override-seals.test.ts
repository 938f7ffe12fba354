import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { OverrideSeals } from './override-seals.ts';

const MASTER = randomBytes(32);
const SHOWN = { '[EMAIL:aaaaaaaaaa]': 'jo.doe@example.net' };

async function folderOf(t: Pick<TestContext, 'after'>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'seals-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

test('[RD18] what is sealed opens after a restart, and as what it was sealed for alone', async (t) => {
  const folder = await folderOf(t);
  const seals = await OverrideSeals.open(folder, MASTER);
  const sources = ['override:a', 'override:b', 'override:c'];
  const sealed = await Promise.all(sources.map((source) => seals.seal(source, SHOWN)));
  const again = await OverrideSeals.open(folder, MASTER);
  for (const [i, source] of sources.entries())
    assert.deepEqual(
      sealed.map((one) => again.open(source, one)),
      sealed.map((_, at) => (at === i ? SHOWN : undefined)),
    );
  await assert.rejects(OverrideSeals.open(folder, randomBytes(32)), /another vaultKey/);
});

test('[RD18] what was sealed under a key that is gone opens no more, also when it is sealed again', async (t) => {
  const folder = await folderOf(t);
  const seals = await OverrideSeals.open(folder, MASTER);
  const [first, other] = [await seals.seal('override:a', SHOWN), await seals.seal('override:b', SHOWN)];
  await seals.forget(['override:a', 'override:none']);
  const next = await seals.seal('override:a', SHOWN);
  for (const one of [seals, await OverrideSeals.open(folder, MASTER)]) {
    assert.equal(one.open('override:a', first), undefined);
    assert.deepEqual(one.open('override:a', next), SHOWN);
    assert.deepEqual(one.open('override:b', other), SHOWN);
  }
  await seals.retain(new Set(['override:b']));
  assert.equal((await OverrideSeals.open(folder, MASTER)).open('override:a', next), undefined);
});
