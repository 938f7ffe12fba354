import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Metadata, credentials, loadPackageDefinition, status } from '@grpc/grpc-js';
import type { Client, ServiceClientConstructor, ServiceError } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { protoPath as healthProtoPath } from 'grpc-health-check';
import { ManualClock } from '../../base/clock.ts';
import { MAX_UNREAD_MS, STALLED_MS } from '../../transport/answer-watch.ts';
import { grpcMessage } from '../../../test/support/http2/frames.ts';
import { makeSpan } from '../../../test/support/world.ts';
import { until } from '../../../test/support/until.ts';
import { connectGrpc } from '../../../test/reader-contract/grpc-client.ts';
import { startTestServers } from '../../../test/support/test-servers.ts';
import type { TestServers, TestServersOptions } from '../../../test/support/test-servers.ts';

type Message = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any

const EXPLAIN_PROTO = fileURLToPath(new URL('../../../proto/explain/v1/explain.proto', import.meta.url));
const REFLECTION_PROTO = '@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto';

function clientOf(service: TestServers, definition: ReturnType<typeof loadSync>, path: string): Client {
  const root: Message = loadPackageDefinition(definition);
  const found = path.split('.').reduce((at, name) => at[name], root);
  const address = `127.0.0.1:${service.address.port}`;
  return new (found as unknown as ServiceClientConstructor)(address, credentials.createInsecure());
}

function call(client: Client, name: string, request: object, metadata = new Metadata()): Promise<Message> {
  const method = Reflect.get(client, name) as (...args: unknown[]) => void;
  return new Promise((resolve, reject) =>
    method.call(client, request, metadata, (error: ServiceError | null, response: Message) =>
      error ? reject(error) : resolve(response),
    ),
  );
}

async function withService(run: (service: TestServers) => Promise<void>, options: TestServersOptions = {}) {
  const service = await startTestServers(options);
  try {
    await run(service);
  } finally {
    await service.stop();
  }
}

test('[SV73] health is SERVING for the server and the service, and NOT_SERVING while draining', () =>
  withService(async (service) => {
    const client = clientOf(service, loadSync(healthProtoPath, { enums: String }), 'grpc.health.v1.Health');
    const check = async (name: string) =>
      (await call(client, 'Check', { service: name }))['status'] as string;
    assert.equal(await check(''), 'SERVING');
    assert.equal(await check('explain.v1.ExplainService'), 'SERVING');
    const watch = (Reflect.get(client, 'Watch') as (request: object) => NodeJS.EventEmitter).call(client, {
      service: '',
    });
    watch.on('error', () => undefined);
    const seen: string[] = [];
    await new Promise<void>((resolve) => {
      watch.on('data', (message: Message) => {
        seen.push(message['status']);
        if (seen.length === 1) service.grpc.close('draining');
        else resolve();
      });
    });
    assert.deepEqual(seen, ['SERVING', 'NOT_SERVING']);
    client.close();
  }));

test('[SV74] reflection lists the services and describes fields by their names in the .proto', () =>
  withService(async (service) => {
    const path = new URL(`../../../node_modules/${REFLECTION_PROTO}`, import.meta.url).pathname;
    const client = clientOf(service, loadSync(path, {}), 'grpc.reflection.v1.ServerReflection');
    const stream = (
      Reflect.get(client, 'ServerReflectionInfo') as () => NodeJS.EventEmitter & {
        write(m: object): void;
        end(): void;
      }
    ).call(client);
    // The service stops under the open stream.
    stream.on('error', () => undefined);
    const ask = (message: object) =>
      new Promise<Message>((resolve) => {
        stream.once('data', resolve);
        stream.write(message);
      });
    const list = await ask({ listServices: '' });
    const names = list['listServicesResponse'].service.map(({ name }: { name: string }) => name);
    assert.ok(
      names.includes('explain.v1.ExplainService') && names.includes('grpc.health.v1.Health'),
      String(names),
    );
    const file = await ask({ fileContainingSymbol: 'explain.v1.ExplanationNode' });
    const bytes = Buffer.concat(file['fileDescriptorResponse'].fileDescriptorProto).toString('latin1');
    assert.match(bytes, /prompt_summary/);
    stream.end();
    client.close();
  }));

test('[SV32] without the right token every call but health is UNAUTHENTICATED', () =>
  withService(
    async (service) => {
      const explain = clientOf(
        service,
        loadSync(EXPLAIN_PROTO, { keepCase: true, arrays: true }),
        'explain.v1.ExplainService',
      );
      const health = clientOf(service, loadSync(healthProtoPath), 'grpc.health.v1.Health');
      const unauthenticated = { code: status.UNAUTHENTICATED };
      const withToken = (token: string) => {
        const metadata = new Metadata();
        metadata.set('authorization', `Bearer ${token}`);
        return metadata;
      };
      await assert.rejects(call(explain, 'ListTasks', {}), unauthenticated);
      await assert.rejects(call(explain, 'ListTasks', {}, withToken('wrong')), unauthenticated);
      assert.deepEqual((await call(explain, 'ListTasks', {}, withToken('right')))['tasks'], []);
      await call(health, 'Check', { service: '' });
      const stream = (Reflect.get(explain, 'Subscribe') as (m: object) => NodeJS.EventEmitter).call(
        explain,
        {},
      );
      const error = await new Promise<ServiceError>((resolve) => stream.on('error', resolve));
      assert.equal(error.code, status.UNAUTHENTICATED);
      assert.equal(service.reader.subscriptionCount, 0);
      explain.close();
      health.close();
    },
    { auth: { token: 'right' } },
  ));

test('[SV75] a prune without its figure is refused rather than taken for 0', () =>
  withService(async (service) => {
    const client = clientOf(
      service,
      loadSync(EXPLAIN_PROTO, { keepCase: true, arrays: true }),
      'explain.v1.ExplainService',
    );
    await assert.rejects(call(client, 'Prune', {}), { code: status.INVALID_ARGUMENT });
    await call(client, 'Prune', { older_than_minutes: 0 });
    client.close();
  }));

/** More than a reader's window of 64 KiB. */
const LARGE_GRAPH = Array.from({ length: 300 }, (_, i) =>
  makeSpan({ spanId: i.toString(16).padStart(16, '0'), name: `step ${i} ${'x'.repeat(200)}` }),
);

test('[SV78] eight graphs are made or read at once; who reads none is cut off as others wait, and the next is served', async () => {
  const clock = new ManualClock();
  await withService(
    async (service) => {
      await service.feed(LARGE_GRAPH);
      const unread = [0, 1].map(() => connect(`http://127.0.0.1:${service.address.port}`));
      const calls = unread.flatMap((session) => Array.from({ length: 4 }, () => unreadGraph(session)));
      await Promise.all(calls.map((stream) => once(stream, 'response')));
      const reader = await connectGrpc(service.address);
      const asked = reader.getGraph({ collapse: 'none' });
      assert.equal(await Promise.race([asked, delay(300)]), undefined, 'it waits');
      // At first each stream's window of 64 KiB is taken.
      clock.advance(2 * STALLED_MS);
      const answer = await Promise.race([asked, delay(10_000, undefined, { ref: false })]);
      if (answer === undefined) for (const session of unread) session.destroy();
      assert.equal(answer?.nodes.length, 300);
      clock.advance(2 * MAX_UNREAD_MS);
      await until('each is cut off', () => calls.every(({ closed }) => closed));
      assert.deepEqual(new Set(calls.map(({ rstCode }) => rstCode)), new Set([constants.NGHTTP2_CANCEL]));
      await reader.disconnect();
      for (const session of unread) session.destroy();
    },
    { grpc: { clock } },
  );
});

test('[SV78] one connection has half of the graphs, and what else it reads keeps no answer that it does not', async () => {
  const clock = new ManualClock();
  await withService(
    async (service) => {
      await service.feed(LARGE_GRAPH);
      const session = connect(`http://127.0.0.1:${service.address.port}`);
      await once(session, 'connect');
      session.setLocalWindowSize(100_000_000);
      const calls = Array.from({ length: 3 }, () => unreadGraph(session));
      await Promise.all(calls.map((stream) => once(stream, 'response')));
      let read = 0;
      while (read < 1024 * 1024) {
        const stream = unreadGraph(session);
        for await (const piece of stream) read += (piece as Buffer).length;
      }
      const beyondItsHalf = Array.from({ length: 8 }, () => unreadGraph(session));
      await once(beyondItsHalf[0] as ClientHttp2Stream, 'response');
      const reader = await connectGrpc(service.address);
      const asked = reader.getGraph({ collapse: 'none' });
      const answer = await Promise.race([asked, delay(10_000, undefined, { ref: false })]);
      if (answer === undefined) session.destroy();
      assert.equal(answer?.nodes.length, 300, 'others have theirs');
      clock.advance(MAX_UNREAD_MS);
      await until('each is cut off', () => calls.every(({ closed }) => closed));
      await reader.disconnect();
      session.destroy();
    },
    { grpc: { clock } },
  );
});

test('[SV78] readers that take nothing and fill the queue cost another its turn for seconds, and never its answer', async () => {
  const clock = new ManualClock();
  await withService(
    async (service) => {
      await service.feed(LARGE_GRAPH);
      const sessions = Array.from({ length: 40 }, () => connect(`http://127.0.0.1:${service.address.port}`));
      let refused = 0;
      for (const session of sessions)
        for (let n = 0; n < 30; n++)
          unreadGraph(session).once(
            'response',
            (headers) => (refused += headers['grpc-status'] === '8' ? 1 : 0),
          );
      await until('the queue is full', () => refused >= 40 * 30 - 1008);
      const reader = await connectGrpc(service.address);
      let isAnswered = false;
      const asked = reader.getGraph({ collapse: 'none' }).finally(() => (isAnswered = true));
      await until('it is answered', () => {
        clock.advance(STALLED_MS / 20);
        return isAnswered;
      });
      assert.equal((await asked).nodes.length, 300);
      await reader.disconnect();
      for (const session of sessions) session.destroy();
    },
    { grpc: { clock } },
  );
});

test('[SV78] of graphs that hold too much together one is made at a time; who reads none is cut off for the next', async () => {
  const clock = new ManualClock();
  await withService(
    async (service) => {
      await service.feed(LARGE_GRAPH);
      const session = connect(`http://127.0.0.1:${service.address.port}`);
      const unread = unreadGraph(session);
      await once(unread, 'response');
      const reader = await connectGrpc(service.address);
      const asked = reader.getGraph({ collapse: 'none' });
      assert.equal(await Promise.race([asked, delay(300)]), undefined, 'it waits');
      clock.advance(2 * STALLED_MS);
      const answer = await Promise.race([asked, delay(10_000, undefined, { ref: false })]);
      assert.equal(answer?.nodes.length, 300);
      await until('the other is cut off', () => unread.closed);
      await reader.disconnect();
      session.destroy();
    },
    { grpc: { clock, maxGraphBytes: 1 } },
  );
});

test('[SV78] a graph is made no further when its reader has gone', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let rests = 0;
  const rest = (): Promise<void> => {
    rests++;
    return promise;
  };
  await withService(
    async (service) => {
      await service.feed(LARGE_GRAPH);
      const session = connect(`http://127.0.0.1:${service.address.port}`);
      const gone = unreadGraph(session);
      await until('it is being made', () => rests === 1);
      gone.close(constants.NGHTTP2_CANCEL);
      // What is asked for after that is answered after that.
      const reader = await connectGrpc(service.address);
      await reader.disconnect();
      await new Promise<void>((done) => session.ping(() => done()));
      resolve();
      await delay(20);
      assert.equal(rests, 1);
      session.destroy();
    },
    { grpc: { pace: { isOver: true, rest } } },
  );
});

/** A call of GetGraph whose answer nobody takes. */
function unreadGraph(session: ClientHttp2Session): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': '/explain.v1.ExplainService/GetGraph',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  stream.on('error', () => undefined);
  // Field 2, collapse.
  stream.end(grpcMessage(Buffer.from('\x12\x04none')));
  return stream;
}

test('[SV76] Unsubscribe ends the stream with OK, a lost client is told to the subscriptions', () =>
  withService(async (service) => {
    const client = await connectGrpc(service.address);
    const { subscriptionId, frames } = await client.subscribe({});
    await client.unsubscribe(subscriptionId);
    while (frames.endReason === undefined) await new Promise(setImmediate);
    assert.equal(frames.endReason, 'ended');
    assert.equal(service.grpc.subscriptionCount, 0);

    await client.subscribe({});
    assert.equal(service.attachedCount(), 1);
    await client.disconnect();
    while (service.grpc.subscriptionCount > 0) await new Promise(setImmediate);
    assert.equal(service.attachedCount(), 0);
    assert.equal(service.reader.subscriptionCount, 1, 'kept for resuming');
  }));

test('[SV67] a stream that the service ends carries the reason', () =>
  withService(async (service) => {
    const client = await connectGrpc(service.address);
    const { frames } = await client.subscribe({});
    service.reader.closeAll('the task was deleted');
    while (frames.endReason === undefined) await new Promise(setImmediate);
    assert.equal(frames.endReason, 'the task was deleted');
    await client.disconnect();
  }));
