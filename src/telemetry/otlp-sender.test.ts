import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { makeSpan } from '../../test/support/world.ts';
import { OtlpSender, otlpTarget } from './otlp-sender.ts';
import type { Sent } from './sent.ts';

const SPANS = [makeSpan()];
/** ExportTraceServiceResponse { partial_success { rejected_spans: 3 } }. */
const PARTIAL = Buffer.from([0x0a, 0x02, 0x08, 0x03]);

async function overHttp(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Sent> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return new OtlpSender({ endpoint: `http://127.0.0.1:${port}`, headers: { 'x-key': 'k' } }).send(SPANS);
}

test('[OX9] over HTTP the statuses of the OTLP specification are tried again, as late as they say', async (t) => {
  for (const code of [429, 502, 503, 504])
    assert.deepEqual(
      await overHttp(t, (_, response) => response.writeHead(code, { 'retry-after': '7' }).end()),
      {
        outcome: 'later',
        reason: `it answers ${code}`,
        afterMs: 7000,
      },
    );
  for (const code of [302, 400, 401, 404, 413, 500])
    assert.deepEqual(await overHttp(t, (_, response) => response.writeHead(code, { location: '/' }).end()), {
      outcome: 'refused',
      reason: `it answers ${code}`,
    });
  const nobody = await new OtlpSender({ endpoint: 'http://127.0.0.1:9' }).send(SPANS);
  const silent = { outcome: 'later', reason: 'nothing answers there', isSilent: true };
  assert.deepEqual(nobody, silent);
  assert.deepEqual(await new OtlpSender({ endpoint: 'grpc://127.0.0.1:9' }).send(SPANS), silent);
  for (const [type, body] of [
    ['text/plain; charset=utf-8', 'not\n here'],
    ['application/json', '{"code":3,"message":"not here"}'],
    ['application/x-protobuf', '\x08\x03\x12\x08not here'],
  ] as const)
    assert.deepEqual(
      await overHttp(t, (_, response) => response.writeHead(400, { 'content-type': type }).end(body)),
      { outcome: 'refused', reason: 'it answers 400', says: 'not here' },
    );
});

test('[OX9] what is refused of a request that is taken is counted, and the headers go along', async (t) => {
  let heard: IncomingMessage | undefined;
  const sent = await overHttp(t, (request, response) => {
    heard = request;
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(PARTIAL);
  });
  assert.deepEqual(sent, { outcome: 'taken', rejected: 3 });
  assert.deepEqual([heard?.url, heard?.headers['x-key']], ['/v1/traces', 'k']);
  assert.deepEqual(await overHttp(t, (_, response) => response.end('{}')), { outcome: 'taken', rejected: 0 });
});

test('[OX9] an answer without an end is not read to it, and its status counts', async (t) => {
  for (const [code, outcome] of [
    [200, 'taken'],
    [400, 'refused'],
    [503, 'later'],
  ] as const) {
    let sent = 0;
    const { outcome: was } = await overHttp(t, (_, response) => {
      response.writeHead(code, { 'content-type': 'application/x-protobuf' });
      const piece = Buffer.alloc(1024 * 1024);
      const more = (): void => {
        if (response.destroyed) return;
        sent += piece.length;
        response.write(piece, () => setImmediate(more));
      };
      more();
    });
    assert.equal(was, outcome);
    // What lies between the two machines.
    assert.ok(sent < 20 * 1024 * 1024, String(sent));
  }
});

test('[OX9] over gRPC what is full is tried again where it says when, and other codes as the specification has it', async (t) => {
  let failure: { readonly code: number; readonly metadata?: Metadata } | undefined;
  const server = new Server();
  const asIs = (bytes: Buffer): Buffer => bytes;
  server.addService(
    {
      Export: {
        path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
        requestStream: false,
        responseStream: false,
        requestSerialize: asIs,
        requestDeserialize: asIs,
        responseSerialize: asIs,
        responseDeserialize: asIs,
      },
    },
    {
      Export: (_call: unknown, done: (error: object | null, answer?: Buffer) => void) =>
        done(failure ?? null, PARTIAL),
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  const sender = new OtlpSender({ endpoint: `grpc://127.0.0.1:${port}` });
  t.after(() => {
    sender.close();
    server.forceShutdown();
  });
  assert.deepEqual(await sender.send(SPANS), { outcome: 'taken', rejected: 3 });
  const saysWhen = new Metadata();
  saysWhen.set('grpc-status-details-bin', Buffer.from('type.googleapis.com/google.rpc.RetryInfo'));
  for (const [code, metadata, outcome] of [
    [status.UNAVAILABLE, undefined, 'later'],
    [status.RESOURCE_EXHAUSTED, saysWhen, 'later'],
    [status.RESOURCE_EXHAUSTED, undefined, 'refused'],
    [status.INVALID_ARGUMENT, undefined, 'refused'],
    [status.UNAUTHENTICATED, undefined, 'refused'],
  ] as const) {
    failure = { code, ...(metadata && { metadata }) };
    assert.equal((await sender.send(SPANS)).outcome, outcome, status[code]);
  }
});

test('[OX8] the URL says the protocol, and whether by TLS', () => {
  const said = (endpoint: string): string => {
    const { protocol, isSecure, url } = otlpTarget(endpoint);
    return `${protocol} ${isSecure} ${url.href}`;
  };
  assert.equal(said('grpc://a:1'), 'grpc false http://a:1/');
  assert.equal(said('grpcs://a'), 'grpc true https://a:4317/');
  assert.equal(said('http://a:4317'), 'grpc false http://a:4317/');
  assert.equal(said('http://a:4318'), 'http false http://a:4318/v1/traces');
  assert.equal(said('https://a/otlp/v1/traces'), 'http true https://a/otlp/v1/traces');
  for (const endpoint of ['a:1', 'ftp://a', 'http://u:p@a', ''])
    assert.throws(() => otlpTarget(endpoint), endpoint);
});
