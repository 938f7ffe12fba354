import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { BoundaryError } from '../../base/boundary-error.ts';
import { startTestServers } from '../../../test/support/test-servers.ts';
import type { TestServers, TestServersOptions } from '../../../test/support/test-servers.ts';
import { span } from '../../../test/reader-contract/records.ts';

type Frame = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any

class Reader {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  readonly closed: Promise<[number, string]>;
  private wake: () => void = () => undefined;

  constructor(service: TestServers, query = '', options: object = {}) {
    this.socket = new WebSocket(`ws://127.0.0.1:${service.address.port}/explain${query}`, options);
    this.socket.on('error', () => undefined);
    this.socket.on('message', (data: Buffer) => {
      this.frames.push(JSON.parse(data.toString()));
      this.wake();
    });
    this.closed = new Promise((resolve) =>
      this.socket.on('close', (code, reason) => resolve([code, reason.toString()])),
    );
  }

  static async open(service: TestServers, query = '', options: object = {}): Promise<Reader> {
    const reader = new Reader(service, query, options);
    await once(reader.socket, 'open');
    return reader;
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame));
  }

  async next(): Promise<Frame> {
    if (this.frames.length === 0) await new Promise<void>((resolve) => (this.wake = resolve));
    return this.frames.shift() ?? {};
  }

  async ask(frame: unknown): Promise<Frame> {
    this.send(frame);
    return this.next();
  }
}

async function withService(run: (service: TestServers) => Promise<void>, options: TestServersOptions = {}) {
  const service = await startTestServers(options);
  try {
    await run(service);
  } finally {
    await service.stop();
  }
}

/** The status with which an upgrade was refused. */
async function refusal(service: TestServers, query: string, options: object = {}): Promise<number> {
  const { socket } = new Reader(service, query, options);
  const [, response] = (await once(socket, 'unexpected-response')) as [
    unknown,
    { statusCode: number; resume(): void },
  ];
  response.resume();
  return response.statusCode;
}

test('[AC42] whose project is not open is told so by the answer to the upgrade, and the service goes on', () => {
  const spaceOf = (): never => {
    throw new BoundaryError('UNAVAILABLE', 'your project is not open yet: try again later');
  };
  return withService(
    async (service) => {
      assert.equal(await refusal(service, ''), 503);
      assert.equal(await refusal(service, ''), 503);
    },
    { webSocket: { spaceOf } },
  );
});

test('[SV62] a bad frame gets an error frame and the connection stays', () =>
  withService(async (service) => {
    const reader = await Reader.open(service);
    const id = (await reader.ask({}))['subscriptionId'];
    const cases: readonly (readonly [frame: unknown, code: string, named: RegExp])[] = [
      ['{', 'INVALID_ARGUMENT', /JSON/],
      ['[]', 'INVALID_ARGUMENT', /object/],
      [Buffer.from([1, 2, 3]), 'INVALID_ARGUMENT', /binary/],
      [{ type: 'nope' }, 'INVALID_ARGUMENT', /type/],
      [{ type: 'subscribe', request: 'x' }, 'INVALID_ARGUMENT', /request/],
      [
        { type: 'subscribe', request: { filters: { status: 'ERROR' } } },
        'INVALID_ARGUMENT',
        /filters\.status/,
      ],
      [{ type: 'subscribe', request: { filters: { minCostUsd: '1' } } }, 'INVALID_ARGUMENT', /minCostUsd/],
      [{ type: 'subscribe', request: { filters: [] } }, 'INVALID_ARGUMENT', /filters/],
      [{ type: 'updateFilters', subscriptionId: 7, filters: {} }, 'INVALID_ARGUMENT', /subscriptionId/],
      [{ type: 'updateFilters', subscriptionId: id }, 'INVALID_ARGUMENT', /filters/],
      [{ type: 'expand', subscriptionId: id, nodeId: {} }, 'INVALID_ARGUMENT', /nodeId/],
      [{ type: 'expandTask', subscriptionId: id }, 'INVALID_ARGUMENT', /taskId/],
      [{ type: 'prune', olderThanMinutes: 'x' }, 'INVALID_ARGUMENT', /olderThanMinutes/],
      [{ type: 'unsubscribe', subscriptionId: 'nope' }, 'NOT_FOUND', /subscriptionId/],
    ];
    for (const [frame, code, named] of cases) {
      const answer = await reader.ask(frame);
      assert.deepEqual([answer['type'], answer['code']], ['error', code]);
      assert.match(answer['message'], named);
    }
    const named = await reader.ask({ type: 'nope', requestId: 'mine' });
    assert.equal(named['requestId'], 'mine');
    assert.deepEqual(await reader.ask({ type: 'ping', requestId: 'p' }), { type: 'pong', requestId: 'p' });
    reader.socket.terminate();
  }));

test('[SV63] a flood of bad frames closes the connection with 1008', () =>
  withService(async (service) => {
    const reader = await Reader.open(service);
    for (let n = 0; n < 300; n++) reader.send('not a frame');
    const [code, reason] = await reader.closed;
    assert.equal(code, 1008);
    assert.match(reason, /wrong frames/);
    assert.ok(
      reader.frames.length >= 100 && reader.frames.length < 120,
      `${reader.frames.length} errors before`,
    );
    const other = await Reader.open(service);
    assert.equal((await other.ask({ type: 'ping' }))['type'], 'pong');
    other.socket.terminate();
  }));

test('[SV64] subscriptions per connection are bounded; unsubscribing makes room', () =>
  withService(
    async (service) => {
      const reader = await Reader.open(service);
      const first = await reader.ask({});
      assert.equal((await reader.ask({}))['type'], 'subscribed');
      assert.equal((await reader.ask({}))['code'], 'RESOURCE_EXHAUSTED');
      reader.send({ type: 'unsubscribe', subscriptionId: first['subscriptionId'] });
      assert.equal((await reader.ask({}))['type'], 'subscribed');
      reader.socket.terminate();
    },
    { webSocket: { maxSubscriptionsPerConnection: 2 } },
  ));

test('[SV64] connections are bounded; a lost one makes room and its subscriptions are told', () =>
  withService(
    async (service) => {
      const reader = await Reader.open(service);
      await reader.ask({});
      assert.equal(await refusal(service, ''), 503);
      assert.equal(service.attachedCount(), 1);
      reader.socket.terminate();
      while (service.webSocket.connectionCount > 0) await sleep(5);
      assert.equal(service.attachedCount(), 0);
      assert.equal(service.reader.subscriptionCount, 1, 'kept for resuming');
      (await Reader.open(service)).socket.terminate();
    },
    { webSocket: { maxConnections: 1 } },
  ));

test('[SV64] too large a frame closes with 1009', () =>
  withService(async (service) => {
    const reader = await Reader.open(service);
    reader.send(`"${'x'.repeat(1024 * 1024)}"`);
    assert.equal((await reader.closed)[0], 1009);
  }));

/** Long enough for a busy machine to read an answer that has come. */
const HEARTBEAT_MS = 500;

test('[SV65] a connection that shows no life is cut off, one that answers pings stays', () =>
  withService(
    async (service) => {
      const deaf = await Reader.open(service, '', { autoPong: false });
      const alive = await Reader.open(service);
      await deaf.closed;
      await sleep(HEARTBEAT_MS);
      assert.equal((await alive.ask({ type: 'ping' }))['type'], 'pong');
      alive.socket.terminate();
    },
    { webSocket: { heartbeatMs: HEARTBEAT_MS } },
  ));

test('[SV30] [SV31] [SV32] the upgrade is guarded like a request', () =>
  withService(
    async (service) => {
      const headers = { authorization: 'Bearer right' };
      assert.equal(await refusal(service, '', { headers: { ...headers, host: 'evil.example' } }), 403);
      assert.equal(await refusal(service, '', { headers, origin: 'https://evil.example' }), 403);
      assert.equal(await refusal(service, ''), 401);
      assert.equal(await refusal(service, '?access_token=right'), 401);
      assert.equal(await refusal(service, '?access_token=right', { headers }), 401);
      assert.equal(await refusal(service, '/elsewhere', { headers }), 404);
      const reader = await Reader.open(service, '', { headers });
      assert.equal((await reader.ask({}))['type'], 'subscribed');
      reader.socket.terminate();
      const webview = await Reader.open(service, '', { headers, origin: 'vscode-webview://0abc' });
      webview.socket.terminate();
    },
    { auth: { token: 'right' } },
  ));

test('[SV66] a reader that stops reading costs about the bound, and later gets everything', () =>
  withService(
    async (service) => {
      const reader = await Reader.open(service);
      await reader.ask({ collapse: 'none' });
      reader.socket.pause();
      // Together some 20 MB: more than the kernel takes for a reader that doesn't read.
      const rounds = 100;
      const SPANS = 250;
      for (let round = 0; round < rounds; round++) {
        const name = 'x'.repeat(200);
        const spans = Array.from({ length: SPANS }, (_, i) =>
          span({ trace: round + 1, span: round * SPANS + i + 1, name, status: 'ERROR' }),
        );
        await service.feed(spans);
        await sleep(1);
      }
      reader.socket.resume();
      const seen = new Set<string>();
      let updates = 0;
      while (seen.size < rounds * SPANS) {
        const frame = await reader.next();
        updates += 1;
        for (const node of frame['update'].addedNodes) seen.add(node.id);
      }
      assert.ok(updates < rounds, `${updates} updates for ${rounds} rounds`);
      assert.equal((await reader.ask({ type: 'ping' }))['type'], 'pong', 'the service reads from it again');
      reader.socket.terminate();
    },
    { webSocket: { maxBufferedBytes: 200_000 } },
  ));

test('[SV66] a reader that asks without reading the answers is not read from', () =>
  withService(
    async (service) => {
      const reader = await Reader.open(service);
      reader.socket.pause();
      // About 30 MB each way: more than the kernel holds.
      const pings = 130_000;
      const requestId = 'x'.repeat(200);
      for (let n = 0; n < pings; n++) reader.send({ type: 'ping', requestId });
      for (let last = -1; last !== reader.socket.bufferedAmount; await sleep(200)) {
        last = reader.socket.bufferedAmount;
      }
      assert.ok(
        reader.socket.bufferedAmount > 1_000_000,
        `${reader.socket.bufferedAmount} bytes are still here`,
      );
      reader.socket.resume();
      while (reader.frames.length < pings) await sleep(20);
      reader.socket.terminate();
    },
    { webSocket: { maxBufferedBytes: 100_000 } },
  ));

test('[SV69] every verb with a requestId is answered: by an ok where nothing else names it', () =>
  withService(async (service) => {
    const reader = await Reader.open(service);
    await service.feed(
      [1, 2, 3].map((n) => span({ trace: 1, span: n, name: 'one', ...(n > 1 && { parent: 1 }) })),
    );
    const asked = async (frame: object, requestId: string): Promise<Frame> =>
      reader.ask({ ...frame, requestId });
    const { subscriptionId } = await asked({ type: 'subscribe', request: {} }, 'first');
    const seen: Frame[] = [];
    for (const [n, verb] of [
      { type: 'updateFilters', filters: { status: ['ERROR'] } },
      { type: 'updateFilters', filters: { status: ['ERROR'] } },
      { type: 'prune', olderThanMinutes: 0 },
      { type: 'expandTask', taskId: 'none' },
      { type: 'unsubscribe' },
    ].entries())
      seen.push(await asked({ subscriptionId, ...verb }, `${n}`));
    assert.deepEqual(
      seen.map(({ type, requestId, pruned, code }) => [type, requestId, pruned ?? code]),
      [
        ['update', '0', undefined],
        ['ok', '1', undefined],
        ['ok', '2', 3],
        ['error', '3', 'NOT_FOUND'],
        ['ok', '4', undefined],
      ],
    );
    assert.deepEqual(
      [seen[1]?.['subscriptionId'], seen[4]?.['subscriptionId']],
      [subscriptionId, subscriptionId],
    );
    // Who names no request is not answered.
    const other = await reader.ask({});
    reader.send({ type: 'unsubscribe', subscriptionId: other['subscriptionId'] });
    assert.equal((await reader.ask({ type: 'ping' }))['type'], 'pong');
    reader.socket.terminate();
  }));

test('[SV67] a subscription that the service ends says so, and the connection stays', () =>
  withService(async (service) => {
    const reader = await Reader.open(service);
    const { subscriptionId } = await reader.ask({});
    service.reader.closeAll('the task was deleted');
    const ended = await reader.next();
    const { type, code, message } = ended;
    assert.deepEqual([type, code, message], ['error', 'UNAVAILABLE', 'the task was deleted']);
    assert.equal(ended['subscriptionId'], subscriptionId);
    assert.equal((await reader.ask({ type: 'ping' }))['type'], 'pong');
    reader.socket.terminate();
  }));

test('[SV67] a subscription taken up on its own connection goes on there without an error', () =>
  withService(async (service) => {
    const reader = await Reader.open(service);
    const { subscriptionId } = await reader.ask({});
    await service.feed([span({ trace: 1, span: 1, name: 'one', status: 'ERROR' })]);
    assert.equal((await reader.next())['sequence'], 1);
    assert.equal((await reader.ask({ subscriptionId, resumeFrom: 0 }))['type'], 'resumed');
    const replayed = await reader.next();
    assert.deepEqual([replayed['type'], replayed['sequence']], ['update', 1]);
    await service.feed([span({ trace: 1, span: 2, name: 'two', status: 'ERROR' })]);
    assert.equal((await reader.next())['sequence'], 2);
    reader.socket.terminate();
    while (service.webSocket.connectionCount > 0) await sleep(5);
    assert.equal(service.attachedCount(), 0);
  }));

test('[SV67] closing gives 1001 and the reason, cut to what a close frame holds', () =>
  withService(async (service) => {
    const reader = await Reader.open(service);
    service.webSocket.close('ü'.repeat(200));
    const [code, reason] = await reader.closed;
    assert.equal(code, 1001);
    assert.equal(reason, 'ü'.repeat(61));
    assert.equal(await refusal(service, ''), 503);
  }));
