import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { EXPORT_FORMATS, exportGraph } from '../../src/exporters/export-graph.ts';
import type { ExplanationGraph } from '../../src/model/node.ts';
import type { ServerFrame } from '../../src/model/reader-messages.ts';
import { connectBrowserStyle, connectWs } from './websocket-client.ts';
import { until as holds } from '../support/until.ts';
import { connectGrpc } from './grpc-client.ts';
import { span, taskId } from './records.ts';
import { applyUpdate } from '../../src/model/apply-update.ts';
import type { FrameQueue } from './reader-client.ts';
import { startTestServers, type TestServers, type TestServersOptions } from '../support/test-servers.ts';

const ALL = { collapse: 'none' } as const;
/** Many parts, and more than a connection holds. */
const NODES = 8_000;

async function largeGraph(options: TestServersOptions = {}): Promise<TestServers> {
  const service = await startTestServers(options);
  for (let n = 0; n < NODES; n += 1_000) {
    await service.feed(Array.from({ length: 1_000 }, (_, at) => spanOf(n + at)));
  }
  return service;
}

/** Two tasks of as many steps. */
function spanOf(n: number): ReturnType<typeof span> {
  const half = NODES / 2;
  const first = n - (n % half);
  const parent = n === first ? undefined : 1 + first + Math.floor((n - first - 1) / 3);
  return span({ trace: 1 + first, span: 1 + n, name: 'step', ...(parent !== undefined && { parent }) });
}

function content({ nodes, edges }: ExplanationGraph): unknown {
  const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);
  return JSON.parse(JSON.stringify({ nodes: nodes.toSorted(byId), edges: edges.toSorted(byId) }));
}

type GraphFrame = Extract<ServerFrame, { type: 'subscribed' | 'update' }>;

/** Applies frames until they say that it is complete; every edge has its nodes after each. */
async function completed(
  frames: FrameQueue,
  graph?: ExplanationGraph,
): Promise<[ExplanationGraph, GraphFrame[]]> {
  const taken: GraphFrame[] = [];
  const nodes = new Map((graph?.nodes ?? []).map((node) => [node.id, node]));
  const edges = new Map((graph?.edges ?? []).map((edge) => [edge.id, edge]));
  for (;;) {
    const frame = await frames.next();
    assert.ok(frame.type === 'subscribed' || frame.type === 'update', frame.type);
    taken.push(frame);
    const update =
      frame.type === 'update'
        ? frame.update
        : {
            removedNodeIds: [],
            removedEdgeIds: [],
            addedNodes: frame.graph.nodes,
            addedEdges: frame.graph.edges,
          };
    for (const id of update.removedNodeIds) nodes.delete(id);
    for (const { id } of update.removedEdgeIds) edges.delete(id);
    for (const node of update.addedNodes) nodes.set(node.id, node);
    for (const edge of update.addedEdges) edges.set(edge.id, edge);
    if (update.removedNodeIds.length > 0)
      for (const { id, from, to } of edges.values()) if (!nodes.has(from) || !nodes.has(to)) edges.delete(id);
    for (const { from, to } of update.addedEdges)
      assert.ok(nodes.has(from) && nodes.has(to), 'both its nodes');
    if (frame.partial) continue;
    assert.equal(taken.length > 1, frame.type === 'update' && frame.complete === true);
    return [{ nodes: [...nodes.values()], edges: [...edges.values()], lastUpdated: '' }, taken];
  }
}

describe('readers of one large graph', () => {
  let service: TestServers;
  before(async () => (service = await largeGraph()));
  after(() => service.stop());

  for (const [late, name, connect] of [
    [90_001, 'a WebSocket of browsers', connectBrowserStyle],
    [90_002, 'ws', connectWs],
    [90_003, 'gRPC', connectGrpc],
  ] as const) {
    test(`[SV16] what shows much comes in parts over ${name}; a single answer is whole`, async () => {
      const client = await connect(service.address);
      const fresh = async (request: object): Promise<unknown> => content(await client.getGraph(request));
      const { subscriptionId, frames } = await client.subscribe(ALL, 'mine');
      const [first, parts] = await completed(frames);
      assert.deepEqual([parts[0]?.type, parts[0]?.requestId, parts[0]?.sequence], ['subscribed', 'mine', 0]);
      assert.ok(parts.length > 20 && parts.every((frame, index) => frame.sequence === index));
      assert.deepEqual(content(first), content(service.reader.getGraph(ALL)));
      assert.deepEqual(content(first), await fresh(ALL));

      const filters = { taskIds: [taskId(1)] };
      await client.updateFilters(subscriptionId, filters);
      const [narrow, out] = await completed(frames, first);
      assert.deepEqual(content(narrow), await fresh({ ...ALL, filters }));
      assert.ok(out.length > 5);

      const folded = await client.subscribe({});
      const [closed] = await completed(folded.frames);
      await client.expandTask(folded.subscriptionId, taskId(1));
      const [opened, open] = await completed(folded.frames, closed);
      assert.ok(open.length > 5);
      assert.ok(narrow.nodes.every(({ id }) => opened.nodes.some((node) => node.id === id)));
      await client.disconnect();
    });

    test(`[SV16] a connection that is lost between parts goes on with the others over ${name}`, async () => {
      const client = await connect(service.address);
      const { subscriptionId, frames } = await client.subscribe(ALL);
      const [one, two] = [await frames.next(), await frames.next()];
      assert.ok(one.type === 'subscribed' && two.type === 'update');
      await client.disconnect();
      await service.feed([span({ trace: late, span: late, name: `late for ${name}`, status: 'ERROR' })]);
      const again = await connect(service.address);
      const shown = applyUpdate(one.graph, two.update);
      const resumed = await again.subscribe({ subscriptionId, resumeFrom: two.sequence });
      const answer = await resumed.frames.next();
      const from = answer.type === 'resumed' ? resumed.frames : (await again.subscribe(ALL)).frames;
      let [whole] = await completed(from, answer.type === 'resumed' ? shown : undefined);
      // It may come after the last part.
      const isThere = (): boolean => whole.nodes.some((node) => node.name === `late for ${name}`);
      for (let next; !isThere(); whole = applyUpdate(whole, next.update)) {
        next = await from.next();
        assert.ok(next.type === 'update');
      }
      assert.deepEqual(content(whole), content(service.reader.getGraph(ALL)));
      await again.disconnect();
    });
  }

  test('[SV68] between parts others on the connection have their answers', async () => {
    const seen: string[] = [];
    const socket = new WebSocket(`ws://127.0.0.1:${service.address.port}/explain`);
    await once(socket, 'open');
    const done = new Promise<void>((resolve) =>
      socket.on('message', (data: Buffer) => {
        const frame = JSON.parse(data.toString()) as Record<string, unknown>;
        seen.push(`${String(frame['type'])}${frame['complete'] === true ? ' complete' : ''}`);
        if (seen.length === 1) socket.send(JSON.stringify({ type: 'ping' }));
        if (frame['complete'] === true) resolve();
      }),
    );
    socket.send(JSON.stringify({ type: 'subscribe', request: ALL }));
    await done;
    assert.ok(seen.includes('pong'), 'before the last part');
    socket.terminate();
  });

  for (const encoding of ['identity', 'gzip']) {
    test(`[SV16] a large graph comes whole over HTTP, ${encoding}`, async () => {
      const graph = service.reader.getGraph(ALL);
      for (const format of EXPORT_FORMATS) {
        const url = `http://127.0.0.1:${service.address.port}/api/graph?collapse=none&format=${format}`;
        const response = await fetch(url, { headers: { 'accept-encoding': encoding } });
        assert.equal(response.headers.get('content-encoding'), encoding === 'gzip' ? 'gzip' : null);
        const exported = exportGraph(graph, format);
        if ('lines' in exported) assert.equal(await response.text(), [...exported.lines].join(''));
        else assert.deepEqual(await response.json(), JSON.parse(JSON.stringify(exported.json)));
        const head = await fetch(url, { method: 'HEAD' });
        assert.deepEqual([head.status, await head.text()], [200, '']);
      }
    });
  }
});

test('[SV68] a large graph waits for the network part by part; who leaves in the middle costs nothing more', async () => {
  const service = await largeGraph({ webSocket: { maxBufferedBytes: 64 * 1024 } });
  const socket = new WebSocket(`ws://127.0.0.1:${service.address.port}/explain`);
  await once(socket, 'open');
  const [connection] = [
    ...(service.webSocket as unknown as { server: { clients: Set<WebSocket> } }).server.clients,
  ];
  assert.ok(connection);
  socket.pause();
  socket.send(JSON.stringify({ type: 'subscribe', request: ALL }));
  await holds('the graph is on its way', () => connection.bufferedAmount > 0);
  let most = 0;
  for (let n = 0; n < 30; n++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    most = Math.max(most, connection.bufferedAmount);
  }
  assert.ok(most < 700_000, `${most} bytes waited`);
  assert.equal(service.attachedCount(), 1);
  socket.terminate();
  await once(connection, 'close');
  assert.equal(service.attachedCount(), 0);
  assert.equal((await fetch(`http://127.0.0.1:${service.address.port}/healthz`)).status, 200);
  await service.stop();
});
