import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { CellIdentity } from '../../src/model/cell-identity.ts';
import { RealService, temporaryFolder } from './real-service.ts';

/** What a service in this folder says of itself, before it is stopped again. */
async function identityIn(dataDir: string, ...flags: readonly string[]): Promise<CellIdentity> {
  const service = await RealService.start({ dataDir, flags });
  try {
    const answer = await fetch(`${service.readers}/api/cell`);
    assert.equal(answer.status, 200);
    return (await answer.json()) as CellIdentity;
  } finally {
    await service.service.stop('test is over');
  }
}

async function emptied(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
}

test('[CE6] a service says what a gateway has to know of its cells', async (t: TestContext) => {
  const dataDir = await temporaryFolder(t);
  const before = Date.now();
  const first = await identityIn(dataDir);
  assert.equal(first.version, '0.0.0-test');
  assert.equal(first.role, 'all');
  assert.equal(first.state, 'open');
  assert.deepEqual(first.reasons, []);
  assert.ok(before <= first.startedAt && first.startedAt <= first.now && first.now <= Date.now());
  const again = await identityIn(dataDir, '--max-nodes-per-task', '400');
  assert.equal(again.data, first.data);
  assert.ok(again.startedAt > first.startedAt);
  assert.notEqual(again.settings, first.settings);
});

test('[CE6] its data is another when it began anew with nothing', async (t) => {
  const dataDir = await temporaryFolder(t);
  const first = await identityIn(dataDir);
  await emptied(dataDir);
  const second = await identityIn(dataDir);
  const inMemory = [
    await identityIn(dataDir, '--durability', 'memory'),
    await identityIn(dataDir, '--durability', 'memory'),
  ];
  const all = [first, second, ...inMemory].map(({ data }) => data);
  assert.equal(new Set(all).size, 4, all.join(' '));
});
