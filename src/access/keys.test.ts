import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ManualClock } from '../base/clock.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { createAccess } from './access.ts';
import { KEY_PREFIX } from './key-text.ts';
import { Keys } from './keys.ts';
import { STRANGER } from './principal.ts';

const DAY_MS = 86_400_000;

class Bench {
  readonly clock = new ManualClock();
  readonly dataDir: string;

  private constructor(dataDir: string) {
    this.dataDir = dataDir;
  }

  static async in(t: TestContext): Promise<Bench> {
    const dataDir = await mkdtemp(join(tmpdir(), 'keys-'));
    t.after(() => rm(dataDir, { recursive: true, force: true }));
    return new Bench(dataDir);
  }

  get file(): string {
    return join(this.dataDir, 'keys.json');
  }

  open(isKept = true): Promise<Keys> {
    return Keys.open({ dataDir: this.dataDir, clock: this.clock, logger: silentLogger, isKept });
  }
}

const READER = { name: 'a dashboard', roles: ['reader'] };

test('[AC5] a key is good at once and after a restart, and the file is for its owner and holds no key', async (t) => {
  const bench = await Bench.in(t);
  const keys = await bench.open();
  assert.equal(keys.areAsked, false);
  const { key, id } = await keys.create({
    name: 'web',
    roles: ['sender', 'reader', 'reader'],
    project: 'web',
  });
  assert.match(key, /^explain_[0-9a-z]{57}$/);
  const principal = { by: 'key', id, name: 'web', roles: ['sender', 'reader'], project: 'web' };
  assert.deepEqual(keys.find(key), principal);
  const again = await bench.open();
  assert.deepEqual(again.find(key), principal);
  assert.ok(again.areAsked);
  assert.equal((await stat(bench.file)).mode & 0o777, 0o600);
  assert.doesNotMatch(await readFile(bench.file, 'utf8'), new RegExp(key.slice(KEY_PREFIX.length)));
  assert.doesNotMatch(JSON.stringify(again.list()), /hash|explain_/);
});

test('[AC5] of any key each letter counts, and what is not whole is told from what is unknown', async (t) => {
  const bench = await Bench.in(t);
  const keys = await bench.open();
  const { key } = await keys.create(READER);
  const access = createAccess('keys', { keys, clock: bench.clock });
  const tell = (token: string): unknown => {
    bench.clock.advance(60_000);
    try {
      return access.identify({ apiKey: token }).name;
    } catch (error) {
      return (error as Error).message;
    }
  };
  assert.equal(tell(key), READER.name);
  for (let at = 0; at < key.length; at++) {
    const other = key[at] === 'a' ? 'b' : 'a';
    const changed = key.slice(0, at) + other + key.slice(at + 1);
    assert.match(String(tell(changed)), at < KEY_PREFIX.length ? /none that this/ : /not whole/);
  }
  for (const wrong of [key.slice(0, -1), `${key}${key}`, `${key}0`, KEY_PREFIX])
    assert.match(String(tell(wrong)), /not whole/);
  const { key: foreign } = await (await (await Bench.in(t)).open()).create(READER);
  assert.match(String(tell(foreign)), /none that this/);
});

test('[AC12] capabilities are kept with their key, and hold after it is rotated and after a restart', async (t) => {
  const bench = await Bench.in(t);
  const capabilities = [{ kind: 'reasoning/*', payload: { agent: { name: '!ben' } } }, { kind: 'chat' }];
  const keys = await bench.open();
  const made = await keys.create({ ...READER, capabilities });
  const free = await keys.create(READER);
  const { key } = await keys.rotate(made.id);
  for (const one of [keys, await bench.open()]) {
    const found = one.find(key);
    assert.ok(typeof found === 'object');
    assert.deepEqual(found.capabilities, capabilities);
    assert.deepEqual(
      one.list().map((each) => each.capabilities),
      [capabilities, undefined],
    );
    assert.ok(!('capabilities' in Object(one.find(free.key))));
  }
});

test('[AC6] a revoked key, an expired one and the former text of a rotated one end what is open by them', async (t) => {
  const bench = await Bench.in(t);
  const keys = await bench.open();
  const ended: string[] = [];
  const opened = (id: string): (() => void) => keys.watch(id, (reason) => ended.push(reason));
  const kept = await keys.create(READER);
  const revoked = await keys.create(READER);
  const expiring = await keys.create({ ...READER, expiresInDays: 40 });
  const rotated = await keys.create(READER);
  for (const { id } of [kept, revoked, expiring, rotated]) opened(id);
  opened(revoked.id)();

  await keys.revoke(revoked.id);
  assert.deepEqual(ended.splice(0), ['the key was revoked']);
  assert.equal(keys.find(revoked.key), undefined);

  const second = await keys.rotate(rotated.id, 60);
  assert.ok(keys.find(rotated.key) && keys.find(second.key));
  assert.deepEqual(ended, []);
  bench.clock.advance(60 * 60_000);
  assert.deepEqual(ended.splice(0), ['the key was replaced by another']);
  assert.equal(keys.find(rotated.key), 'expired');
  opened(rotated.id);
  const third = await keys.rotate(rotated.id);
  assert.deepEqual(ended.splice(0), ['the key was replaced by another']);
  assert.equal(keys.find(second.key), undefined);
  assert.ok(keys.find(third.key));

  bench.clock.advance(39 * DAY_MS);
  assert.deepEqual(ended, []);
  bench.clock.advance(DAY_MS);
  assert.deepEqual(ended, ['the key has expired']);
  assert.equal(keys.find(expiring.key), 'expired');
  assert.ok(keys.find(kept.key));
});

test('[AC7] once there were keys everybody needs one, also when the last is gone; a broken file lets nobody in', async (t) => {
  const bench = await Bench.in(t);
  const keys = await bench.open();
  const access = createAccess('none', { keys, clock: bench.clock });
  assert.equal(access.identify({}).by, 'nobody');
  const { id } = await keys.create(READER);
  assert.throws(() => access.identify({}), { code: 'UNAUTHENTICATED' });
  await keys.revoke(id);
  assert.throws(() => access.identify({}), { code: 'UNAUTHENTICATED' });
  assert.ok((await bench.open()).areAsked);
  for (const broken of ['', '{', '{"format":2,"keys":[]}', '{"format":1,"keys":[{}]}']) {
    await writeFile(bench.file, broken);
    await assert.rejects(bench.open(), { code: 'FAILED_PRECONDITION', message: /keys\.json/ });
  }
});

test('[AC7] what nobody had open ends with the first key, and not what needs nothing', async (t) => {
  const bench = await Bench.in(t);
  const keys = await bench.open();
  const access = createAccess('none', { keys, clock: bench.clock });
  const ended: string[] = [];
  access.watch(access.identify({}), (reason) => ended.push(reason));
  access.watch(STRANGER, () => ended.push('a stranger'));
  await keys.create(READER);
  assert.deepEqual(ended, ['there are keys now: come again with one']);
  await keys.create(READER);
  assert.equal(ended.length, 1);
});

test('[AC7] tokens of the settings go on beside keys', async (t) => {
  const bench = await Bench.in(t);
  const keys = await bench.open();
  const { key } = await keys.create(READER);
  const access = createAccess({ token: 'token-of-all' }, { keys, clock: bench.clock });
  assert.equal(access.identify({ authorization: 'Bearer token-of-all' }).by, 'token');
  assert.equal(access.identify({ authorization: `Bearer ${key}` }).by, 'key');
});

test('[AC8] wrong requests for keys are told what to do, and are not echoed', async (t) => {
  const bench = await Bench.in(t);
  const keys = await bench.open();
  const cases: readonly (readonly [object, RegExp])[] = [
    [{}, /^name must/],
    [{ ...READER, name: ' ' }, /^name must/],
    [{ ...READER, name: 'a\u001bb' }, /^name must/],
    [{ ...READER, name: 'canary'.repeat(30) }, /^name must/],
    [{ ...READER, roles: [] }, /^roles must/],
    [{ ...READER, roles: ['canary'] }, /^roles must/],
    [{ ...READER, roles: 'reader' }, /^roles must/],
    [{ ...READER, project: '../canary' }, /^project must/],
    [{ ...READER, project: 'Canary' }, /^project must/],
    [{ ...READER, expiresAt: 'canary' }, /^expiresAt must/],
    [{ ...READER, expiresAt: '2020-01-01T00:00:00Z' }, /^expiresAt must/],
    [{ ...READER, expiresInDays: 0 }, /^expiresInDays must/],
    [{ ...READER, expiresInDays: 1, expiresAt: '2099-01-01T00:00:00Z' }, /not both/],
    [{ ...READER, canary: 1 }, /^the body takes/],
  ];
  for (const [request, message] of cases) {
    await assert.rejects(keys.create(request), (error: Error) => {
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /canary/i);
      return true;
    });
  }
  assert.equal(keys.areAsked, false);
  await assert.rejects(keys.revoke('nobody'), { code: 'NOT_FOUND' });
  await assert.rejects(keys.rotate('nobody'), { code: 'NOT_FOUND' });
  const { id } = await keys.create(READER);
  for (const grace of ['1', -1, NaN, 1e9])
    await assert.rejects(keys.rotate(id, grace), /^BoundaryError: graceMinutes/);
  await assert.rejects((await bench.open(false)).create(READER), { code: 'FAILED_PRECONDITION' });
});

test('[AC8] there are at most 1,000 keys', async (t) => {
  const bench = await Bench.in(t);
  const one = { ...READER, project: 'default', createdAt: '2026-01-01T00:00:00Z' };
  const many = Array.from({ length: 1000 }, (_, i) => ({
    ...one,
    id: `key-${i}`,
    hash: i.toString(16).padStart(64, '0'),
  }));
  await writeFile(bench.file, JSON.stringify({ format: 1, keys: many }));
  const keys = await bench.open();
  await assert.rejects(keys.create(READER), { code: 'RESOURCE_EXHAUSTED' });
  await keys.revoke('key-7');
  await keys.create(READER);
});

test('[AC9] wrong tokens are slowed down by address: nobody else is, nor who has a key or a long token, nor who was right before', async (t) => {
  const bench = await Bench.in(t);
  const keys = await bench.open();
  const { key } = await keys.create(READER);
  const adminToken = 'b51f0c9e7d2a48638f10aa37';
  const access = createAccess({ token: 'token-of-all', adminToken }, { keys, clock: bench.clock });
  const codeOf = (token: string, address: string): string => {
    try {
      return access.identify({ apiKey: token, address }).name;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  assert.equal(codeOf('token-of-all', '10.0.0.2'), 'auth.token');
  const codes = new Map<string, number>();
  for (let i = 0; i < 1000; i++) {
    const v6 = [`2001:db8:0:1::${i.toString(16)}`, `2001:db8::${i.toString(16)}`];
    for (const address of ['10.0.0.1', '10.0.0.2', ...v6]) {
      const code = codeOf(`wrong-token-${i}`, address);
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
  }
  assert.deepEqual(Object.fromEntries(codes), { UNAUTHENTICATED: 80, RESOURCE_EXHAUSTED: 3920 });
  assert.equal(codeOf('token-of-all', '10.0.0.1'), 'RESOURCE_EXHAUSTED', 'guessed, or not');
  assert.equal(codeOf(key, '10.0.0.1'), READER.name);
  assert.equal(codeOf(adminToken, '10.0.0.1'), 'auth.adminToken');
  assert.equal(codeOf('token-of-all', '10.0.0.2'), 'auth.token');
  assert.equal(codeOf('token-of-all', '10.0.0.3'), 'auth.token');
  bench.clock.advance(1_000);
  assert.equal(codeOf('token-of-all', '10.0.0.1'), 'auth.token');
});

test('[AC16] a gateway is not slowed down by wrong tokens that others send by way of it', () => {
  const gatewayToken = 'kG7x2Lq9Zp4Rt8VwYm3Nc6Hb';
  const access = createAccess({ token: 'token-of-all', gatewayToken }, { clock: new ManualClock() });
  const ask = (token: string): string => access.identify({ apiKey: token, address: '127.0.0.1' }).id;
  for (let n = 0; n < 1_000; n++) assert.throws(() => ask(`wrong-${n}`));
  assert.throws(() => ask('token-of-all'), { code: 'RESOURCE_EXHAUSTED' });
  assert.equal(ask(gatewayToken), 'auth.gatewayToken');
});

test('[AC13] the role gateway stands alone in a key, and takes no capabilities', async (t) => {
  const keys = await (await Bench.in(t)).open();
  const made = (more: object) => keys.create({ ...READER, ...more });
  await assert.rejects(made({ roles: ['gateway', 'reader'] }), /the role gateway stands alone/);
  await assert.rejects(made({ roles: ['gateway'], capabilities: [] }), /takes no capabilities/);
  assert.deepEqual((await made({ roles: ['gateway', 'gateway'] })).roles, ['gateway']);
});

test('[AC9] where a right token was shown wrong ones are slowed as well, after ten thousand that differ', async (t) => {
  const bench = await Bench.in(t);
  const adminToken = 'b51f0c9e7d2a48638f10aa37';
  const access = createAccess({ token: 'token-of-all', adminToken }, { clock: bench.clock });
  const isLet = (token: string): boolean => {
    try {
      return access.identify({ apiKey: token, address: '10.0.0.1' }).by === 'token';
    } catch {
      return false;
    }
  };
  assert.ok(isLet('token-of-all'));
  for (let i = 0; i < 20_000; i++) isLet('an-old-token');
  assert.ok(isLet('token-of-all'), 'the same one again is no guess');
  for (let i = 0; i < 9_000; i++) isLet(`guess-${i}`);
  assert.ok(isLet('token-of-all'));
  for (let i = 9_000; i < 11_000; i++) isLet(`guess-${i}`);
  assert.ok(!isLet('token-of-all'), 'it could be the next guess');
  assert.ok(isLet(adminToken), 'no guess is as long');
  bench.clock.advance(1_000);
  assert.ok(isLet('token-of-all'), 'nobody is locked out');
});

test('[AC5] when a key was used last is known to the minute, also after a restart', async (t) => {
  const bench = await Bench.in(t);
  const keys = await bench.open();
  const { key } = await keys.create(READER);
  assert.equal(keys.list()[0]?.lastUsedAt, undefined);
  keys.find(key);
  const used = new Date(bench.clock.now()).toISOString();
  bench.clock.advance(30_000);
  keys.find(key);
  assert.equal(keys.list()[0]?.lastUsedAt, used);
  await keys.stop();
  assert.equal((await bench.open()).list()[0]?.lastUsedAt, used);
});

test('[AC8] administrators of one project leave keys for those of others', async (t) => {
  const bench = await Bench.in(t);
  const one = { ...READER, createdAt: '2026-01-01T00:00:00Z' };
  const many = Array.from({ length: 700 }, (_, i) => ({
    ...one,
    project: i < 400 ? 'web' : 'default',
    id: `key-${i}`,
    hash: i.toString(16).padStart(64, '0'),
  }));
  await writeFile(bench.file, JSON.stringify({ format: 1, keys: many }));
  const keys = await bench.open();
  const made = (project: string, by?: string) => keys.create({ ...READER, project }, by);
  await assert.rejects(made('web', 'web'), { code: 'RESOURCE_EXHAUSTED', message: /left for all/ });
  await made('app', 'app');
  await made('web');
});
