import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ON_BEHALF_OF, readOnBehalfOf } from '../../access/on-behalf-of.ts';
import { ManualClock } from '../../base/clock.ts';
import type { CellIdentity } from '../../model/cell-identity.ts';
import { BOUNDED } from '../../../test/support/until.ts';
import { askOverHttp, type AskCell } from './ask-cell.ts';
import { completeCells } from './cell-addresses.ts';
import { CellHealth } from './cell-health.ts';
import { CellList } from './cell-list.ts';
import { cellReadiness } from './cell-readiness.ts';

type Said = Partial<CellIdentity> | 'silent' | Error | { readonly status: number; readonly body: string };

/** Cells that answer as they are told, asked by a clock that is moved by hand. */
class Cells {
  readonly clock = new ManualClock();
  readonly list = new CellList();
  readonly said = new Map<string, Said>();
  readonly asked: string[] = [];
  readonly health: CellHealth;

  constructor(t: TestContext, ...addresses: readonly string[]) {
    this.place(...addresses);
    this.health = new CellHealth({
      addresses: this.list,
      ask: this.ask,
      version: '1.4.2',
      clock: this.clock,
      random: () => 0.5,
    });
    t.after(() => this.health.stop());
  }

  place(...addresses: readonly string[]): void {
    this.list.take(
      completeCells(
        addresses.map((given) => {
          const [name = '', address = given] = given.includes('=') ? given.split('=') : [given];
          return { name, address };
        }),
        4317,
      ),
    );
  }

  /** Time passes, and what was asked is answered. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await setImmediate();
  }

  private readonly ask: AskCell = async (address) => {
    this.asked.push(address);
    const said = this.said.get(address) ?? {};
    if (said === 'silent') return new Promise(() => {});
    if (said instanceof Error) throw said;
    if ('status' in said) return { ...said, body: Buffer.from(said.body) };
    const usual = {
      version: '1.4.9',
      data: `data of ${address}`,
      startedAt: 1,
      now: this.clock.now(),
      settings: 'usual',
      role: 'all',
      state: 'open',
      reasons: [],
    };
    return { status: 200, body: Buffer.from(JSON.stringify({ ...usual, ...said })) };
  };
}

test('[CE7] a cell that answers is well, and is asked every two seconds, one question at a time', async (t) => {
  const cells = new Cells(t, 'a:1', 'b:1');
  const { health } = cells;
  await health.start();
  assert.deepEqual(cells.asked, ['a:1', 'b:1']);
  const { state, reason, oddities, identity } = health.of('a:1') ?? {};
  assert.deepEqual([state, reason, oddities, identity?.data], ['well', undefined, [], 'data of a:1']);
  assert.equal(health.of('c:1'), undefined);
  assert.deepEqual(health.notices(), []);
  assert.deepEqual(
    Object.entries(health.counts()).filter(([, count]) => count > 0),
    [['well', 2]],
  );
  let told = 0;
  health.onChange(() => told++);
  await cells.pass(1999);
  assert.equal(cells.asked.length, 2);
  await cells.pass(1);
  assert.equal(cells.asked.length, 4);
  assert.equal(told, 0);
});

test('[CE7] a cell that does not answer is away since then, with the reason, until it does', async (t) => {
  const cells = new Cells(t, 'a:1', 'b:1');
  const { health, clock } = cells;
  await health.start();
  const told: (string | undefined)[] = [];
  health.onChange(() => told.push(health.of('a:1')?.state));
  cells.said.set('a:1', 'silent');
  await cells.pass(2000);
  await cells.pass(1999);
  assert.equal(health.of('a:1')?.state, 'well');
  await cells.pass(1);
  const away = health.of('a:1');
  assert.equal(away?.state, 'away');
  assert.equal(away.since, clock.now());
  assert.equal(away.reason, 'did not answer within 2 seconds');
  assert.equal(health.of('b:1')?.state, 'well');
  assert.match(
    health.notices().join(),
    /^cell a:1 is away since \S+, what it has is shown as it was: it did not answer within 2 seconds$/,
  );
  cells.said.set('a:1', new Error('cannot be reached'));
  await cells.pass(2000);
  assert.equal(health.of('a:1')?.reason, 'cannot be reached');
  assert.equal(health.of('a:1')?.since, away.since);
  cells.said.delete('a:1');
  await cells.pass(2000);
  assert.equal(health.of('a:1')?.state, 'well');
  assert.deepEqual(told, ['away', 'away', 'well']);
});

test('[CE10] while no cell answers the gateway is not ready, and says so; one that answers is enough', async (t) => {
  const cells = new Cells(t, 'a:1', 'b:1');
  const { health } = cells;
  const addresses = { current: () => cells.list.current(), problem: undefined };
  await health.start();
  assert.deepEqual(cellReadiness(addresses, health), { problems: [], warnings: [] });
  cells.said.set('a:1', new Error('cannot be reached'));
  await cells.pass(2000);
  assert.deepEqual(cellReadiness(addresses, health), { problems: [], warnings: health.notices() });
  cells.said.set('b:1', { state: 'starting' });
  await cells.pass(2000);
  assert.deepEqual(cellReadiness(addresses, health), {
    problems: ['no cell answers: nothing new is shown or taken in until one does'],
    warnings: health.notices(),
  });
  assert.equal(health.notices().length, 2);
  // What senders send with their own keys is taken.
  cells.said.set('b:1', { status: 401, body: '{}' });
  await cells.pass(2000);
  assert.deepEqual(cellReadiness(addresses, health), { problems: [], warnings: health.notices() });
  assert.equal(health.notices().length, 2);
  cells.said.delete('b:1');
  await cells.pass(2000);
  assert.deepEqual(cellReadiness(addresses, health).problems, []);
});

test('[CE7] a cell that says what no cell says is away with the reason', async (t) => {
  const wrong: readonly (readonly [Said, RegExp])[] = [
    [{ status: 200, body: 'hello' }, /^answers something that is not JSON$/],
    [{ status: 200, body: '[]' }, /^answers what no cell says/],
    [{ version: 'new' }, /^answers what no cell says \(version\)$/],
    [{ now: 1e300 }, /\(now\)$/],
    [{ data: 'x'.repeat(201) }, /\(data\)$/],
    [{ role: 'gateway' as never }, /^is a gateway itself/],
    [{ status: 403, body: '{}' }, /^refuses the gateway \(403\): gateway\.token must be/],
    [{ status: 404, body: '{}' }, /^is no cell, or of a version/],
    [{ status: 302, body: '' }, /^answers 302$/],
    [{ state: 'starting' }, /^is starting$/],
  ];
  for (const [said, reason] of wrong) {
    const cells = new Cells(t, 'a:1');
    cells.said.set('a:1', said);
    await cells.health.start();
    assert.equal(cells.health.of('a:1')?.state, 'away');
    assert.match(cells.health.of('a:1')?.reason ?? '', reason);
    const shown = cells.health.of('a:1')?.identity === undefined ? '' : ', what it has is shown as it was';
    assert.ok(cells.health.notices()[0]?.endsWith(`Z${shown}: it ${cells.health.of('a:1')?.reason}`));
    const since = cells.health.of('a:1')?.since;
    await cells.pass(2000);
    assert.equal(cells.health.of('a:1')?.since, since);
  }
});

test('[CE8] what is odd of a cell that answers is told, and it is served', async (t) => {
  const cells = new Cells(t, 'a:1', 'b:1', 'c:1');
  const { health, clock } = cells;
  cells.said.set('a:1', { settings: 'other' });
  cells.said.set('b:1', { version: '1.5.0', state: 'draining' });
  cells.said.set('c:1', { now: clock.now() - 5001 });
  await health.start();
  assert.deepEqual(
    ['a:1', 'b:1', 'c:1'].map((name) => [health.of(name)?.state, health.of(name)?.oddities]),
    [
      ['well', ['other_settings']],
      ['draining', ['other_version']],
      ['well', ['clock_off']],
    ],
  );
  assert.deepEqual(
    Object.entries(health.counts()).filter(([, count]) => count > 0),
    [
      ['draining', 1],
      ['other_version', 1],
      ['other_settings', 1],
      ['clock_off', 1],
    ],
  );
  assert.equal(health.notices().length, 4);
  // As far as is still well: of two with other settings than each other the first has the usual ones.
  cells.said.set('c:1', { now: clock.now() + 2000 + 5000, settings: 'other' });
  cells.said.set('b:1', {});
  await cells.pass(2000);
  assert.deepEqual(health.of('a:1')?.oddities, []);
  assert.deepEqual(health.of('b:1')?.oddities, ['other_settings']);
  assert.deepEqual(health.of('c:1')?.oddities, []);
});

test('[CE8] a cell that answers and is not ready is told with its reasons, and counted; one that is being stopped is not', async (t) => {
  const cells = new Cells(t, 'a:1', 'b:1');
  const { health } = cells;
  const reasons = ['restoring the graph: 5 records so far', 'x'.repeat(9_000)];
  cells.said.set('a:1', { reasons });
  cells.said.set('b:1', { reasons, state: 'draining' });
  await health.start();
  const { state, oddities } = health.of('a:1') ?? {};
  assert.deepEqual([state, oddities], ['well', ['not_ready']]);
  const [notice = '', ...others] = health.notices();
  assert.match(notice, /^cell a:1 is not ready: restoring the graph: 5 records so far; x+…?$/);
  assert.ok(notice.length < 400);
  assert.deepEqual(others, ['cell b:1 is being stopped: it takes nothing new']);
  assert.deepEqual([health.counts().well, health.counts().not_ready], [0, 1]);
  cells.said.set('a:1', {});
  await cells.pass(2000);
  assert.deepEqual(health.of('a:1')?.oddities, []);
});

test('[CE8] a cell whose data is another was started anew with nothing; that is told for ten minutes', async (t) => {
  const cells = new Cells(t, 'a=a:1');
  const { health } = cells;
  await health.start();
  cells.said.set('a:1', new Error('cannot be reached'));
  await cells.pass(2000);
  cells.said.set('a:1', { startedAt: 5 });
  await cells.pass(2000);
  assert.deepEqual(health.of('a')?.oddities, []);
  // Also when it comes back elsewhere.
  cells.said.set('a:2', { data: 'other' });
  cells.place('a=a:2');
  await cells.pass(0);
  assert.deepEqual(health.of('a')?.oddities, ['restarted_empty']);
  for (let seconds = 0; seconds < 600; seconds += 2) await cells.pass(2000);
  await cells.pass(2000);
  assert.deepEqual(health.of('a')?.oddities, []);
});

test('[CE8] cells that come are asked, those that go are asked no more, also while a question is under way', async (t) => {
  const cells = new Cells(t, 'a:1', 'b:1');
  const { health } = cells;
  await health.start();
  cells.said.set('b:1', 'silent');
  await cells.pass(2000);
  cells.asked.length = 0;
  cells.place('a:1', 'c:1');
  await cells.pass(0);
  assert.equal(health.of('b:1'), undefined);
  assert.equal(health.of('c:1')?.state, 'well');
  await cells.pass(2000);
  await cells.pass(2000);
  assert.ok(!cells.asked.includes('b:1'));
  health.stop();
  cells.asked.length = 0;
  await cells.pass(10_000);
  assert.deepEqual(cells.asked, []);
});

async function listening(t: TestContext, listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test(
  '[CE7] [CE11] over HTTP a cell is asked with the key of the gateway, as for its readers, and no answer costs more than its bound',
  BOUNDED,
  async (t) => {
    const { ask, close } = askOverHttp({ token: 'a-token-of-the-gateway' });
    t.after(close);
    const never = new AbortController().signal;
    const honest = await listening(t, (request, response) => {
      const caller = readOnBehalfOf(String(request.headers[ON_BEHALF_OF]));
      response.end(JSON.stringify([request.url, request.headers.authorization, caller.roles]));
    });
    const { status, body } = await ask(honest, never);
    assert.deepEqual(
      [status, body.toString()],
      [200, '["/api/cell","Bearer a-token-of-the-gateway",["monitor"]]'],
    );
    const endless = await listening(t, (_, response) => {
      const write = (): void => {
        while (response.write('x'.repeat(16_384)));
      };
      response.on('drain', write);
      write();
    });
    await assert.rejects(ask(endless, never), /answers more than 65536 bytes/);
    const breaking = await listening(t, (request) => request.socket.destroy());
    await assert.rejects(ask(breaking, never), /broke off its answer \(ECONNRESET\)/);
    await assert.rejects(ask('127.0.0.1:1', never), /nothing listens there \(ECONNREFUSED\)/);
  },
);
