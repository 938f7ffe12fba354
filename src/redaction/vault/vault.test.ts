import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { BoundaryError } from '../../base/boundary-error.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import type { Original } from './originals.ts';
import { Vault, type VaultOptions } from './vault.ts';

const MASTER = randomBytes(32);

async function folderOf(t: Pick<TestContext, 'after'>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vault-'));
  t.after(() => rm(folder, { recursive: true }));
  return join(folder, 'vault');
}

/** Sources are named `task/record`. */
const taskOf = (source: string): string | undefined =>
  source.includes('/') ? source.split('/')[0] : undefined;

function openVault(folder: string, options: Partial<VaultOptions> = {}): Promise<Vault> {
  const maxBytes = 1_000_000;
  return Vault.open({ folder, masterKey: MASTER, maxBytes, taskOf, logger: silentLogger, ...options });
}

function tag(n: number): string {
  return Array.from({ length: 10 }, (_, i) =>
    'abcdefghijklmnopqrstuvwxyz234567'.charAt((n >> (i * 3)) & 31),
  ).join('');
}

function original(source: string, n: number, value = `person${n}@example.net`): Original {
  return { source, field: 'attributes.note', marker: `[EMAIL:${tag(n)}]`, value };
}

async function find(
  vault: Vault,
  ...originals: readonly Original[]
): Promise<readonly (string | undefined)[]> {
  const found = await vault.find(new Set(originals.map(({ marker }) => marker)));
  return originals.map(({ marker }) => found.get(marker));
}

async function bytesOf(folder: string): Promise<string> {
  const names = await readdir(folder);
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))).join('\n');
}

test('[RD13] originals come back by their marker, after a restart too, and stand nowhere in plain', async (t) => {
  const folder = await folderOf(t);
  const vault = await openVault(folder);
  const kept = Array.from({ length: 200 }, (_, i) =>
    original(`t${i % 7}/r${i}`, i, `p\u00e9rson "${i}"\n\ud83d\ude00`),
  );
  vault.keep(kept);
  assert.deepEqual(
    await find(vault, ...kept),
    kept.map(({ value }) => value),
  );
  assert.deepEqual(await find(vault, original('t/r', 9999)), [undefined]);
  const again = await openVault(folder);
  assert.equal(again.tasks, 7);
  assert.deepEqual(
    await find(again, ...kept),
    kept.map(({ value }) => value),
  );
  assert.doesNotMatch(await bytesOf(folder), /rson/);
  for (const name of await readdir(folder))
    assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name);
});

test('[RD13] with another master key it does not open, and says which setting is meant', async (t) => {
  const folder = await folderOf(t);
  const vault = await openVault(folder);
  vault.keep([original('t/r', 1)]);
  await vault.flush();
  await assert.rejects(openVault(folder, { masterKey: randomBytes(32) }), (error) => {
    assert.ok(error instanceof BoundaryError);
    assert.match(error.message, /vaultKey/);
    return error.code === 'FAILED_PRECONDITION';
  });
  assert.deepEqual(await find(await openVault(folder), original('t/r', 1)), ['person1@example.net']);
});

test('[RD13] an entry opens only as what it was sealed as', async (t) => {
  const folder = await folderOf(t);
  const vault = await openVault(folder);
  vault.keep([original('t/r', 1), original('t/s', 2), original('u/r', 3)]);
  await vault.flush();
  const path = join(folder, 'originals.ndjson');
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  const entry = lines.map((line) => JSON.parse(line) as Record<string, string>);
  const changes: readonly Record<string, string | undefined>[] = [
    { marker: original('t/r', 4).marker },
    { source: 't/s' },
    { field: 'name' },
    { group: entry[2]?.['group'] },
    { sealed: entry[1]?.['sealed'] },
  ];
  for (const change of changes) {
    await writeFile(path, `${JSON.stringify({ ...entry[0], ...change })}\n${lines.slice(1).join('\n')}\n`);
    const changed = await openVault(folder);
    assert.deepEqual(await find(changed, original('t/r', 1), original('t/r', 4)), [undefined, undefined]);
    assert.deepEqual(await find(changed, original('t/s', 2)), ['person2@example.net'], 'the others are well');
  }
});

test('[RD13] a line that a crash cut is dropped, and what follows is whole', async (t) => {
  const folder = await folderOf(t);
  const vault = await openVault(folder);
  vault.keep([original('t/r', 1)]);
  await vault.flush();
  await appendFile(join(folder, 'originals.ndjson'), '{"marker":"[EMAIL:aaaa');
  await appendFile(join(folder, 'keys.ndjson'), '{"id":"');
  const again = await openVault(folder);
  again.keep([original('u/r', 2)]);
  assert.deepEqual(await find(again, original('t/r', 1), original('u/r', 2)), [
    'person1@example.net',
    'person2@example.net',
  ]);
  assert.deepEqual(await find(await openVault(folder), original('u/r', 2)), ['person2@example.net']);
});

test('[RD14] a task whose key is dropped is lost for good, even to who has the master key and the old file', async (t) => {
  const folder = await folderOf(t);
  const vault = await openVault(folder);
  vault.keep([original('t/r', 1), original('u/r', 2)]);
  await vault.flush();
  const copy = await readFile(join(folder, 'originals.ndjson'));
  assert.equal(vault.erase('t'), true);
  assert.equal(vault.erase('t'), false);
  await vault.flush();
  await writeFile(join(folder, 'originals.ndjson'), copy);
  for (const opened of [vault, await openVault(folder)]) {
    assert.deepEqual(await find(opened, original('t/r', 1), original('u/r', 2)), [
      undefined,
      'person2@example.net',
    ]);
  }
  assert.doesNotMatch(await readFile(join(folder, 'keys.ndjson'), 'utf8'), /"task":"t"/);
});

test('[RD14] a task goes with the last of its records, and a record that left is not shown before that', async (t) => {
  const folder = await folderOf(t);
  const vault = await openVault(folder);
  vault.keep([original('t/r', 1), original('t/s', 2)]);
  assert.equal(vault.forget(['t/r', 'unknown']), 0);
  assert.deepEqual(await find(vault, original('t/r', 1), original('t/s', 2)), [
    undefined,
    'person2@example.net',
  ]);
  assert.equal(vault.forget(['t/s']), 1);
  assert.equal(vault.tasks, 0);
  vault.keep([original('t/s', 2)]);
  assert.deepEqual(
    await find(vault, original('t/s', 2)),
    ['person2@example.net'],
    'what comes again is kept again',
  );
});

test('[RD14] at a start what the graph does not have is forgotten', async (t) => {
  const folder = await folderOf(t);
  const vault = await openVault(folder);
  vault.keep([original('t/r', 1), original('u/r', 2)]);
  await vault.flush();
  const again = await openVault(folder);
  again.retain((source) => source === 'u/r');
  assert.deepEqual(await find(again, original('t/r', 1), original('u/r', 2)), [
    undefined,
    'person2@example.net',
  ]);
});

test('[RD13] what belongs to no task is not kept', async (t) => {
  const vault = await openVault(await folderOf(t));
  vault.keep([original('log', 1)]);
  assert.deepEqual(await find(vault, original('log', 1)), [undefined]);
});

test('[RD15] the bound holds: the oldest tasks go, the newest are there, one too large task is cut', async (t) => {
  const folder = await folderOf(t);
  const maxBytes = 100_000;
  const vault = await openVault(folder, { maxBytes, maxTasks: 100 });
  const path = join(folder, 'originals.ndjson');
  for (let i = 0; i < 3000; i++) {
    vault.keep([original(`t${i}/r`, i)]);
    if (i % 50 !== 0) continue;
    await vault.flush();
    assert.ok((await stat(path)).size <= maxBytes, `after ${i}`);
    assert.ok(vault.tasks <= 101);
  }
  assert.deepEqual(await find(vault, original('t2999/r', 2999), original('t0/r', 0)), [
    'person2999@example.net',
    undefined,
  ]);

  const many = Array.from({ length: 1000 }, (_, i) => original(`big/r${i}`, 10_000 + i));
  vault.keep(many);
  await vault.flush();
  assert.ok((await stat(path)).size <= maxBytes);
  assert.deepEqual(await find(vault, ...many.slice(0, 1)), ['person10000@example.net']);
  assert.deepEqual(await find(vault, ...many.slice(-1)), [undefined]);
  assert.ok((await readFile(join(folder, 'keys.ndjson'), 'utf8')).split('\n').length <= 103);
});

test('[RD13] the same find in a stream that is redacted again and again is sealed once', async (t) => {
  const folder = await folderOf(t);
  const vault = await openVault(folder);
  for (let i = 0; i < 20; i++) vault.keep([original('t/r', 1)]);
  await vault.flush();
  assert.equal((await readFile(join(folder, 'originals.ndjson'), 'utf8')).split('\n').length, 2);
});

test('[RD14] a task that is erased while something is being written is erased all the same', async (t) => {
  const folder = await folderOf(t);
  const vault = await openVault(folder);
  for (let turns = 0; turns < 60; turns++) {
    vault.keep([original(`t${turns}/r`, turns)]);
    for (let turn = 0; turn < turns % 12; turn++) await new Promise((resolve) => setImmediate(resolve));
    vault.erase(`t${turns}`);
    await vault.flush();
    assert.doesNotMatch(
      await readFile(join(folder, 'keys.ndjson'), 'utf8'),
      /"task"/,
      `after ${turns} turns`,
    );
  }
});
