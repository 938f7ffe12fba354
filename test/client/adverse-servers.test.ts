import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { WebSocket as WsWebSocket, type WebSocket } from 'ws';
import { connect as connectInBrowser } from '../../src/client/browser.ts';
import { Client, type ConnectOptions } from '../../src/client/client.ts';
import type { ClientError } from '../../src/client/client-error.ts';
import type { LiveGraph } from '../../src/client/live-graph.ts';
import { connect } from '../../src/client/node.ts';
import { WebSocketTransport } from '../../src/client/websocket-transport.ts';
import { DEFAULT_TIMING } from '../../src/client/timing.ts';
import { GrpcTransport } from '../../src/client/grpc-transport.ts';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { until } from '../support/until.ts';
import { span } from '../reader-contract/records.ts';
import { graphOf, node, updateOf } from './fake-transport.ts';
import { refusal } from './refusal.ts';
import { raw, scripted } from './scripted-server.ts';

const QUICK = { initialBackoffMs: 20, maxBackoffMs: 100 };
/** Where it is about waiting in vain. */
const HASTY = { ...QUICK, connectTimeoutMs: 300, answerTimeoutMs: 300, heartbeatMs: 100 };
const HTML = '<!doctype html><title>A page</title>';

function follow(
  t: TestContext,
  url: string,
  options: Partial<ConnectOptions> = {},
): LiveGraph & { errors: ClientError[] } {
  const client = connect({ url, timing: QUICK, ...options });
  t.after(() => client.close());
  const live = client.subscribe();
  const errors: ClientError[] = [];
  live.on('error', (error) => errors.push(error));
  return Object.assign(live, { errors });
}

function subscribed(socket: WebSocket, requestId: string | undefined, ...names: string[]): void {
  const frame = { type: 'subscribed', requestId, subscriptionId: 's', sequence: 0, graph: graphOf(...names) };
  socket.send(JSON.stringify(frame));
}

/** The first connection does something bad, the next ones are well. */
function badFirst(bad: (socket: WebSocket) => void) {
  return {
    frame: (frame: { readonly requestId?: string }, socket: WebSocket, connection: number) => {
      if (connection === 1) bad(socket);
      else subscribed(socket, frame.requestId, 'well');
    },
  };
}

test('[CL19] a server that vanishes in the middle of a frame', async (t) => {
  let connections = 0;
  const url = await raw(t, (socket) => {
    connections += 1;
    socket.once('data', (request) => {
      const key = /sec-websocket-key: (.*)\r\n/i.exec(request.toString())?.[1] ?? '';
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      // A text frame of 60 bytes, of which eight come.
      socket.once('data', () =>
        socket.write(Buffer.from([0x81, 60, ...Buffer.from('{"type":')]), () => socket.destroy()),
      );
    });
  });
  const live = follow(t, url);
  await until('it has come back twice', () => connections >= 3);
  assert.ok(live.errors.every(({ code }) => code === 'UNREACHABLE'));
  assert.equal(live.graph.order, 0);
});

for (const [what, send, code] of [
  ['broken JSON', '{"type":', 'BAD_ANSWER'],
  ['HTML in a frame', HTML, 'BAD_ANSWER'],
  ['a frame without a type', '{}', 'BAD_ANSWER'],
  ['a snapshot without a graph', '{"type":"subscribed","subscriptionId":"s","sequence":0}', 'BAD_ANSWER'],
  [
    'a node without an id',
    '{"type":"update","subscriptionId":"s","sequence":1,"update":{"addedNodes":[{}]}}',
    'BAD_ANSWER',
  ],
  ['a binary frame', Buffer.from([0, 1, 2]), 'BAD_ANSWER'],
] as const) {
  test(`[CL20] ${what} is told as ${code}, and tried again`, async (t) => {
    const live = follow(
      t,
      await scripted(
        t,
        badFirst((socket) => socket.send(send)),
      ),
    );
    await live.ready;
    assert.deepEqual(live.graph.nodes(), ['well']);
    assert.deepEqual(
      live.errors.map((error) => error.code),
      [code],
    );
    assert.match(live.errors[0]?.message ?? '', /readers' port/);
  });
}

test('[CL20] frames of a type that is not known are passed over', async (t) => {
  const url = await scripted(t, {
    frame: ({ requestId }, socket) => {
      socket.send('{"type":"weather","degrees":20}');
      subscribed(socket, requestId, 'a');
      socket.send('{"type":"weather"}');
      const update = updateOf({ addedNodes: [node('b')] });
      socket.send(JSON.stringify({ type: 'update', subscriptionId: 's', sequence: 1, update, mood: 'new' }));
    },
  });
  const live = follow(t, url);
  await until('the update is there', () => live.graph.order === 2);
  assert.deepEqual(live.errors, []);
});

test('[CL13] a server that sends an older sequence changes nothing by it', async (t) => {
  const url = await scripted(t, {
    frame: ({ type, requestId }, socket) => {
      if (type !== 'subscribe') return;
      socket.send(
        JSON.stringify({
          type: 'subscribed',
          requestId,
          subscriptionId: 's',
          sequence: 9,
          graph: graphOf('a'),
        }),
      );
      for (const sequence of [3, 9, 10]) {
        const update = updateOf({ addedNodes: [node(`from ${sequence}`)] });
        socket.send(JSON.stringify({ type: 'update', subscriptionId: 's', sequence, update }));
      }
    },
  });
  const live = follow(t, url);
  await until('the last one is there', () => live.graph.order === 2);
  assert.deepEqual(live.graph.nodes(), ['a', 'from 10']);
});

for (const [what, open] of [
  ["a browser's WebSocket", connectInBrowser],
  ['ws', connect],
] as const) {
  const answering = (t: TestContext, status: number, body: string, headers = {}) =>
    scripted(t, {
      upgrade: (_request, socket) =>
        socket.end(
          `HTTP/1.1 ${status} Nothing\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        ),
      http: (_request, response) => response.writeHead(status, headers).end(body),
    });

  test(`[CL21] ${what}: HTML with 200 is told, and tried again`, async (t) => {
    const client = open({
      url: await answering(t, 200, HTML, { 'content-type': 'text/html' }),
      timing: QUICK,
    });
    t.after(() => client.close());
    await assert.rejects(client.listTasks(), refusal('BAD_ANSWER', /readers' port/));
    const codes: string[] = [];
    client.subscribe().on('error', ({ code }) => codes.push(code));
    await until('it was tried three times', () => codes.length >= 3);
    const { ready } = client.subscribe({ giveUpAfterMs: 400 });
    await assert.rejects(ready, refusal('BAD_ANSWER', /no graph after 400 ms.*readers' port/));
  });

  test(`[CL21] ${what}: no token, a foreign host and a wrong path end at once, with what to do`, async (t) => {
    for (const [status, code, message] of [
      [401, 'UNAUTHENTICATED', 'send the token of the setting `auth`'],
      [403, 'PERMISSION_DENIED', 'the setting `allowedHosts` adds one'],
      [404, 'NOT_FOUND', 'there is nothing at this path'],
    ] as const) {
      const url = await answering(t, status, JSON.stringify({ error: { code, message } }));
      const client = open({ url, timing: QUICK });
      t.after(() => client.close());
      const live = client.subscribe();
      await assert.rejects(live.ready, refusal(code, new RegExp(message)));
      assert.equal(live.state, 'closed');
    }
    const client = open({ url: await answering(t, 404, HTML), timing: QUICK });
    t.after(() => client.close());
    await assert.rejects(client.subscribe().ready, refusal('NOT_FOUND', /check address and path/));
  });

  test(`[CL22] ${what}: nobody listens, and a server that never answers`, async (t) => {
    const gone = open({ url: 'http://127.0.0.1:1', timing: HASTY });
    t.after(() => gone.close());
    await assert.rejects(
      gone.subscribe({ giveUpAfterMs: 300 }).ready,
      refusal('UNREACHABLE', /is the service running/),
    );
    await assert.rejects(gone.listTasks(), refusal('UNREACHABLE', /is the service running/));
    const silent = open({ url: await raw(t, () => undefined), timing: HASTY });
    t.after(() => silent.close());
    await assert.rejects(silent.subscribe({ giveUpAfterMs: 500 }).ready, refusal('TIMEOUT'));
    await assert.rejects(silent.getGraph(), refusal('TIMEOUT', /within 300 ms/));
  });
}

test('[CL22] a server that opens the WebSocket and never answers is given up and tried again', async (t) => {
  let connections = 0;
  const url = await scripted(t, {
    silent: true,
    frame: (frame, socket, connection) => {
      connections = connection;
      if (connection > 1 && frame.type === 'subscribe') subscribed(socket, frame.requestId, 'well');
    },
  });
  const live = follow(t, url, { timing: HASTY });
  await live.ready;
  assert.deepEqual(
    live.errors.map(({ code }) => code),
    ['TIMEOUT'],
  );
  // And the second one goes silent after its snapshot: its pings are not answered.
  await until('the silent connection is given up', () => connections >= 3);
  assert.equal(live.errors[1]?.code, 'TIMEOUT');
  assert.match(live.errors[1].message, /has not answered|did not answer/);
});

test('[CL22] a connection on which nothing happens stays, as long as it answers', async (t) => {
  let asked = 0;
  const url = await scripted(t, {
    silent: true,
    frame: ({ type, requestId }, socket) => {
      if (type !== 'ping') return subscribed(socket, requestId);
      asked += 1;
      socket.send(JSON.stringify({ type: 'pong', requestId }));
    },
  });
  // A busy machine takes longer than it should for an answer, too.
  const live = follow(t, url, { timing: { ...HASTY, answerTimeoutMs: 10_000 } });
  await live.ready;
  const states: string[] = [];
  live.on('state', ({ state }) => states.push(state));
  await until('it was asked five times whether it is there', () => asked >= 5);
  assert.deepEqual([states, live.errors], [[], []]);
});

test('[CL17] a server that vanishes instead of answering a verb: it is done on the next connection', async (t) => {
  const asked: string[] = [];
  const url = await scripted(t, {
    frame: ({ type, requestId, request }, socket, connection) => {
      asked.push(`${connection} ${type}`);
      const answer = { requestId, subscriptionId: 's' };
      if (type === 'updateFilters' && connection === 1) socket.terminate();
      else if (type === 'updateFilters') socket.send(JSON.stringify({ type: 'ok', ...answer }));
      else if (Reflect.get(request ?? {}, 'resumeFrom') === undefined) subscribed(socket, requestId);
      else socket.send(JSON.stringify({ type: 'resumed', ...answer, sequence: 0 }));
    },
  });
  const live = follow(t, url);
  await live.updateFilters({ status: ['ERROR'] });
  assert.deepEqual(asked, ['1 subscribe', '1 updateFilters', '2 subscribe', '2 updateFilters']);
  assert.deepEqual(live.filters, { status: ['ERROR'] });
});

test('[CL8] closing unsubscribes, before its answer has come as well', async (t) => {
  const unsubscribed: unknown[] = [];
  const held: (() => void)[] = [];
  let subscriptions = 0;
  const url = await scripted(t, {
    silent: true,
    frame: (frame, socket) => {
      const { type, requestId } = frame;
      if (type === 'unsubscribe') unsubscribed.push(Reflect.get(frame, 'subscriptionId'));
      if (type !== 'subscribe') return;
      const subscriptionId = `s${++subscriptions}`;
      const answer = { type: 'subscribed', requestId, subscriptionId, sequence: 0, graph: graphOf() };
      held.push(() => socket.send(JSON.stringify(answer)));
    },
  });
  const client = connect({ url });
  t.after(() => client.close());
  const [first, second, third] = [client.subscribe(), client.subscribe(), client.subscribe()];
  await until('all are asked for', () => held.length === 3);
  second.close();
  for (const answer of held) answer();
  await Promise.all([first.ready, third.ready]);
  await until('the second is given back', () => unsubscribed.length === 1);
  first.close();
  await until('the first is given back', () => unsubscribed.length === 2);
  assert.deepEqual(unsubscribed, ['s2', 's1']);
  assert.equal(third.state, 'live');
});

test('[CL29] what the HTTP API can not be asked for is said', async (t) => {
  const client = connect({ url: 'http://127.0.0.1:1' });
  t.after(() => client.close());
  const request = { filters: { taskIds: ['a,b'] } };
  await assert.rejects(client.getGraph(request), refusal('INVALID_ARGUMENT', /comma/));
});

test('[CL14] a server that closes at once again and again', async (t) => {
  const times: number[] = [];
  const url = await scripted(t, {
    upgrade: (_request, socket) => {
      times.push(performance.now());
      socket.destroy();
    },
    http: (_request, response) => response.destroy(),
  });
  const live = follow(t, url);
  const waits: number[] = [];
  live.on('state', ({ retryInMs }) => retryInMs !== undefined && waits.push(retryInMs));
  await until('it has come back six times', () => times.length >= 6);
  live.close();
  assert.ok(
    waits.every((wait, n) => wait >= Math.min(100, 20 * 2 ** n) / 2 && wait <= Math.min(100, 20 * 2 ** n)),
  );
  assert.ok(live.errors.every(({ code }) => code === 'UNREACHABLE'));
});

test('[CL23] a frame, and an answer, that is larger than the bound', async (t) => {
  const graph = graphOf(...Array.from({ length: 200 }, (_, n) => `node ${n}`));
  const url = await scripted(t, {
    frame: ({ requestId }, socket) =>
      socket.send(JSON.stringify({ type: 'subscribed', requestId, subscriptionId: 's', sequence: 0, graph })),
    http: (_request, response) => response.end(JSON.stringify(graph)),
  });
  const timing = { ...DEFAULT_TIMING, ...QUICK };
  const maxFrameBytes = 10_000;
  for (const openSocket of [
    () => new WsWebSocket(url.replace('http', 'ws'), { maxPayload: maxFrameBytes }),
    // A browser's has no bound of its own.
    () => new WsWebSocket(url.replace('http', 'ws')),
  ]) {
    const client = new Client(
      new WebSocketTransport({ http: url, token: undefined, timing, openSocket, maxFrameBytes }),
      timing,
    );
    t.after(() => client.close());
    await assert.rejects(client.subscribe().ready, refusal('TOO_LARGE', /filters/));
    await assert.rejects(client.getGraph(), refusal('TOO_LARGE', /filters/));
  }
});

test('[CL22] gRPC: what is no gRPC server, and one that never answers', async (t) => {
  const html = await scripted(t, { http: (_request, response) => response.end(HTML) });
  const silent = await raw(t, () => undefined);
  for (const url of [html, silent, 'http://127.0.0.1:1']) {
    const client = connect({ url: url.replace('http', 'grpc'), timing: HASTY });
    t.after(() => client.close());
    const live = client.subscribe({ giveUpAfterMs: 500 });
    await assert.rejects(live.ready, (error: ClientError) => ['UNREACHABLE', 'TIMEOUT'].includes(error.code));
    await assert.rejects(client.listTasks(), (error: ClientError) =>
      ['UNREACHABLE', 'TIMEOUT'].includes(error.code),
    );
  }
});

test('[CL23] gRPC: a graph that is larger than the bound', async (t) => {
  const service = await RealService.start({
    dataDir: await temporaryFolder(t),
    flags: ['--durability', 'memory'],
  });
  t.after(() => service.stop());
  await service.feed(
    Array.from({ length: 50 }, (_, n) => span({ trace: 1, span: n + 1, name: `step ${n}`, status: 'ERROR' })),
  );
  await service.flush();
  const timing = { ...DEFAULT_TIMING, ...QUICK };
  const target = service.readers.slice('http://'.length);
  const client = new Client(
    new GrpcTransport({ target, tls: undefined, token: undefined, timing, maxMessageBytes: 1_000 }),
    timing,
  );
  t.after(() => client.close());
  await assert.rejects(client.subscribe().ready, refusal('TOO_LARGE', /filters/));
  await assert.rejects(client.getGraph(), refusal('TOO_LARGE', /filters/));
});

test('[CL24] a URL that can not be used is refused at once, without its text', () => {
  for (const url of [
    '',
    'SECRETVALUE',
    'ftp://SECRETVALUE',
    'http://SECRETVALUE:x@h',
    'ws://h/?access_token=SECRETVALUE',
    'grpc://',
  ]) {
    assert.throws(() => connect({ url }), refusal('INVALID_ARGUMENT'), url);
  }
  assert.throws(
    () => connectInBrowser({ url: 'grpc://127.0.0.1:9000' }),
    refusal('INVALID_ARGUMENT', /browsers/),
  );
});

test('[CL20] whatever text a frame is, it is a frame, passed over, or BAD_ANSWER', async () => {
  const { default: fc } = await import('fast-check');
  const { parseFrame } = await import('../../src/client/incoming-frame.ts');
  const types = fc.constantFrom(
    'subscribed',
    'resumed',
    'update',
    'snapshotNeeded',
    'ok',
    'pong',
    'error',
    'other',
  );
  const frames = fc.tuple(types, fc.object()).map(([type, rest]) => JSON.stringify({ ...rest, type }));
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), frames), (text) => {
      try {
        parseFrame(text);
      } catch (error) {
        return refusal('BAD_ANSWER')(error);
      }
      return true;
    }),
    { numRuns: 2_000 },
  );
});
