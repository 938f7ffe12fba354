import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { exportGraph } from '../../src/exporters/export-graph.ts';
import type { ExplanationGraph } from '../../src/model/node.ts';
import type { ServerFrame } from '../../src/model/reader-messages.ts';
import { connectBrowserStyle, connectWs } from './websocket-client.ts';
import { connectGrpc } from './grpc-client.ts';
import { span } from './records.ts';
import { startTestServers, type TestServers, type TestServersOptions } from '../support/test-servers.ts';

const ALL = { collapse: 'none' } as const;
/** More than is encoded in one turn of the event loop, and than a connection holds. */
const NODES = 8_000;

async function withLargeGraph(
  run: (service: TestServers) => Promise<void>,
  options: TestServersOptions = {},
): Promise<void> {
  const service = await startTestServers(options);
  try {
    for (let n = 0; n < NODES; n += 1_000) {
      await service.feed(Array.from({ length: 1_000 }, (_, at) => spanOf(n + at)));
    }
    await run(service);
  } finally {
    await service.stop();
  }
}

/** Two tasks of as many steps. */
function spanOf(n: number): ReturnType<typeof span> {
  const half = NODES / 2;
  const first = n - (n % half);
  const parent = n === first ? undefined : 1 + first + Math.floor((n - first - 1) / 3);
  return span({ trace: 1 + first, span: 1 + n, name: 'step', ...(parent !== undefined && { parent }) });
}

function content({ nodes, edges }: ExplanationGraph): unknown {
  return JSON.parse(JSON.stringify({ nodes, edges }));
}

for (const [name, connect] of [
  ['a WebSocket of browsers', connectBrowserStyle],
  ['ws', connectWs],
  ['gRPC', connectGrpc],
] as const) {
  test(`[SV16] a large graph, and a large update, come whole over ${name}`, () =>
    withLargeGraph(async (service) => {
      const client = await connect(service.address);
      const wanted = content(service.reader.getGraph(ALL));
      const { frames } = await client.subscribe(ALL, 'mine');
      const first = (await frames.next()) as Extract<ServerFrame, { type: 'subscribed' }>;
      assert.deepEqual([first.type, first.requestId, first.sequence], ['subscribed', 'mine', 0]);
      assert.deepEqual(content(first.graph), wanted);
      assert.deepEqual(content(await client.getGraph(ALL)), wanted);

      const folded = await client.subscribe({});
      await folded.frames.next();
      const [{ taskId } = { taskId: '' }] = first.graph.nodes;
      await client.expandTask(folded.subscriptionId, taskId);
      const opened = (await folded.frames.next()) as Extract<ServerFrame, { type: 'update' }>;
      assert.deepEqual([opened.type, opened.sequence], ['update', 1]);
      assert.ok(opened.update.addedNodes.length > 2_000);
      assert.ok(opened.update.addedNodes.every((node) => node.taskId === taskId));
      await client.disconnect();
    }));
}

type Frame = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any

/** The frames of a socket, and a way to wait for so many. */
function framesOf(socket: WebSocket): {
  readonly frames: Frame[];
  readonly until: (count: number) => Promise<void>;
} {
  const frames: Frame[] = [];
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString())));
  return {
    frames,
    until: async (count) => {
      while (frames.length < count) await once(socket, 'message');
    },
  };
}

async function opened(service: TestServers): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${service.address.port}/explain`);
  await once(socket, 'open');
  return socket;
}

test('[SV68] while a large graph is sent its connection sends nothing else but what belongs to the line', () =>
  withLargeGraph(async (service) => {
    const socket = await opened(service);
    const { frames, until } = framesOf(socket);
    socket.send(JSON.stringify({ type: 'subscribe', request: { filters: { status: ['ERROR'] } } }));
    await until(1);
    socket.pause();
    socket.send(JSON.stringify({ type: 'subscribe', requestId: 'large', request: ALL }));
    for (const requestId of ['a', 'b']) socket.send(JSON.stringify({ type: 'ping', requestId }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const n of [1, 2]) {
      await service.feed([span({ trace: 90_000 + n, span: 90_000 + n, name: 'late', status: 'ERROR' })]);
    }
    // Somebody else ends the first subscription: its reader is told so.
    service.reader.unsubscribe(frames[0]?.['subscriptionId']);
    socket.resume();
    await until(6);
    const kinds = frames.map(({ type, requestId }) =>
      requestId === undefined ? type : `${type} ${requestId}`,
    );
    assert.deepEqual([kinds[0], kinds[1]], ['subscribed', 'subscribed large']);
    assert.deepEqual(kinds.slice(2).sort(), ['error', 'pong a', 'pong b', 'update']);
    const { subscriptionId, graph } = frames[1] ?? {};
    const after = frames.find(
      (frame) => frame['type'] === 'update' && frame['subscriptionId'] === subscriptionId,
    );
    assert.equal(graph.nodes.length + after?.['update'].addedNodes.length, NODES + 2);
    socket.terminate();
  }));

test('[SV68] a large graph waits for the network piece by piece; who leaves in the middle costs nothing more', () =>
  withLargeGraph(
    async (service) => {
      const socket = await opened(service);
      const [connection] = [
        ...(service.webSocket as unknown as { server: { clients: Set<WebSocket> } }).server.clients,
      ];
      assert.ok(connection);
      socket.pause();
      socket.send(JSON.stringify({ type: 'subscribe', request: ALL }));
      let most = 0;
      for (let n = 0; n < 30; n++) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        most = Math.max(most, connection.bufferedAmount);
      }
      assert.ok(most > 0 && most < 400_000, `${most} bytes waited`);
      assert.equal(service.attachedCount(), 1);
      socket.terminate();
      await once(connection, 'close');
      assert.equal(service.attachedCount(), 0);
      assert.equal((await fetch(`http://127.0.0.1:${service.address.port}/healthz`)).status, 200);
    },
    { webSocket: { maxBufferedBytes: 64 * 1024 } },
  ));

for (const encoding of ['identity', 'gzip']) {
  test(`[SV16] a large graph comes whole over HTTP, ${encoding}`, () =>
    withLargeGraph(async (service) => {
      const graph = service.reader.getGraph(ALL);
      for (const format of ['explanation', 'd3', 'cytoscape', 'graphology']) {
        const url = `http://127.0.0.1:${service.address.port}/api/graph?collapse=none&format=${format}`;
        const response = await fetch(url, { headers: { 'accept-encoding': encoding } });
        assert.equal(response.headers.get('content-encoding'), encoding === 'gzip' ? 'gzip' : null);
        assert.deepEqual(
          await response.json(),
          JSON.parse(JSON.stringify(exportGraph(graph, format as 'd3'))),
        );
        const head = await fetch(url, { method: 'HEAD' });
        assert.deepEqual([head.status, await head.text()], [200, '']);
      }
    }));
}
