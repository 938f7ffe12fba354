import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../cli/run-command.ts';
import {
  ADMIN,
  Admin,
  filesWith,
  fillStore,
  FLAGS,
  MARK,
  OTHER,
  othersIn,
  TOKEN,
  traces,
  type Erased,
} from './erasing.ts';
import { temporaryFolder } from './real-service.ts';

test('[ST32] erasing a user takes every task in which a step names them, by any id of theirs, and not who they are', async (t) => {
  const dataDir = await temporaryFolder(t);
  const admin = await Admin.start(t, dataDir);
  const user = `u-${MARK}`;
  await admin.post('/v1/traces', traces('T-archived', `${MARK} one`, 2, { 'user.id': user }));
  await admin.archive();
  await admin.post('/v1/traces', traces('T-enduser', `${MARK} two`, 2, { 'enduser.id': user }));
  await admin.post('/v1/traces', traces('T-langfuse', `${MARK} three`, 2, { 'langfuse.user.id': user }));
  await admin.post('/v1/traces', traces(`${OTHER}-1`, OTHER, 2, { 'user.id': 'somebody else' }));
  await admin.post('/v1/traces', traces(`${OTHER}-2`, OTHER, 2));
  const before = othersIn(await admin.graph());
  const erase = (...args: string[]): ReturnType<typeof run> =>
    run(['erase', ...args, '--url', `http://${admin.readers}`]);
  const asReader = await erase('--user', user, '--token', TOKEN);
  assert.equal(asReader.code, 1);
  assert.match(
    asReader.stderr,
    /needs the right "administer", which the role sender \+ operator does not have/,
  );
  const both = await erase('--user', user, '--task', 'T-enduser', '--token', ADMIN);
  assert.equal(both.code, 2);
  assert.match(both.stderr, /say what to erase: --task ID, or --user ID/);
  const online = await erase('--user', user, '--json', '--token', ADMIN);
  assert.equal(online.code, 0, online.stderr);
  const erased = JSON.parse(online.stdout) as Erased;
  assert.deepEqual(erased.tasks.toSorted(), ['T-archived', 'T-enduser', 'T-langfuse']);
  assert.deepEqual([erased.nodesInMemory >= 4, erased.nodesArchived >= 2], [true, true]);
  assert.deepEqual(await filesWith(dataDir, MARK), []);
  assert.deepEqual(othersIn(await admin.graph()), before);
  await admin.stop();
  const restarted = await Admin.start(t, dataDir);
  assert.deepEqual(othersIn(await restarted.graph()), before);
  await restarted.stop();
  assert.deepEqual(await filesWith(dataDir, MARK), []);
});

test('[ST32] a user can be named by an address, which stands in the records hidden', async (t) => {
  const dataDir = await temporaryFolder(t);
  const admin = await Admin.start(t, dataDir);
  const user = 'zoe.zebra@example.org';
  await admin.post('/v1/traces', traces('T-address', MARK, 2, { 'user.id': user }));
  // Some senders give an account and the address as well.
  const both = { 'user.account_uuid': 'account-7', 'user.email': user };
  await admin.post('/v1/traces', traces('T-both', MARK, 2, both));
  await admin.post('/v1/traces', traces(`${OTHER}-1`, OTHER, 2, { 'user.email': 'else@example.org' }));
  const erased = (await admin.post('/api/erase', { userId: user })) as Erased;
  assert.deepEqual(erased.tasks.toSorted(), ['T-address', 'T-both']);
  assert.deepEqual(await filesWith(dataDir, MARK), []);
  assert.equal((await admin.graph()).nodes.length, 2);
  await admin.stop();
});

test('[ST32] `erase --offline` does it for archived and old data too, and a user whom nobody names is said to be unknown', async (t) => {
  const dataDir = await temporaryFolder(t);
  const admin = await Admin.start(t, dataDir);
  const user = `u-${MARK}`;
  await admin.post('/v1/traces', traces('T-1', MARK, 2, { 'user.id': user }));
  await admin.archive();
  await fillStore(admin);
  await admin.post('/v1/traces', traces('T-2', MARK, 2, { 'user.id': user }));
  await admin.stop();
  const offline = ['erase', '--offline', '--data-dir', dataDir, ...FLAGS.slice(2)];
  const nobody = await run([...offline, '--user', 'nobody']);
  assert.equal(nobody.stdout, 'Nothing was found, so nothing was removed.\n');
  const done = await run([...offline, '--user', user]);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /Removed for good: 2 tasks, 2 nodes in memory, 2 archived nodes/);
  assert.match(done.stdout, /^ {2}T-1$/m);
  assert.deepEqual(await filesWith(dataDir, MARK), []);
  assert.notDeepEqual(await filesWith(dataDir, OTHER), []);
});
