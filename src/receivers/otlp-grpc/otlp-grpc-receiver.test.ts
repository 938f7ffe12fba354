import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { connect as connectHttp2 } from 'node:http2';
import { Client, Metadata, credentials, status, type ServiceError } from '@grpc/grpc-js';
import { createAccess } from '../../access/access.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import { InflightBytes } from '../../transport/inflight-bytes.ts';
import { eventually, setup, type TestSetup } from '../otlp-server.test-support.ts';
import { exportResponseProto } from '../otlp/answers.ts';
import { encode, logRequest, span, traceRequest, withBytes } from '../otlp/otlp.test-support.ts';
import { OtlpGrpcReceiver } from './otlp-grpc-receiver.ts';

const TRACES = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const LOGS = '/opentelemetry.proto.collector.logs.v1.LogsService/Export';
const METRICS = '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export';
const traces = encode('traces', withBytes(traceRequest(span())));

type Send = (path: string, body: Buffer, metadata?: Metadata) => Promise<Buffer>;

async function withServer(
  made: TestSetup,
  run: (send: Send, server: OtlpGrpcReceiver, port: number) => Promise<void>,
): Promise<void> {
  const server = new OtlpGrpcReceiver(made.options);
  const { port } = await server.start();
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { 'grpc.enable_retries': 0 });
  const identity = (bytes: Buffer): Buffer => bytes;
  const send: Send = (path, body, metadata = new Metadata()) =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(path, identity, identity, body, metadata, (error, answer) => {
        if (error === null) resolve(answer ?? Buffer.alloc(0));
        else reject(error);
      });
    });
  try {
    await run(send, server, port);
  } finally {
    client.close();
    await server.stop();
  }
  await eventually(() => made.inflight.used === 0);
  assert.equal(made.inflight.used, 0, 'every reserved byte was given back');
}

async function failure(call: Promise<unknown>): Promise<ServiceError> {
  return call.then(
    () => assert.fail('the call should have failed'),
    (error: ServiceError) => error,
  );
}

test('[IN12] the three services answer Export with an empty message', async () => {
  const made = setup();
  await withServer(made, async (send) => {
    assert.equal((await send(TRACES, traces)).length, 0);
    assert.equal((await send(LOGS, encode('logs', logRequest({ body: { stringValue: 'x' } })))).length, 0);
    const metrics = {
      resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'm', sum: { dataPoints: [{}] } }] }] }],
    };
    assert.equal((await send(METRICS, encode('metrics', metrics))).length, 0);
    assert.equal((await send(TRACES, Buffer.alloc(0))).length, 0);
  });
  assert.deepEqual(
    [...made.counts.accepted],
    [
      ['span', 1],
      ['log', 1],
      ['metric', 1],
    ],
  );
  assert.equal(made.consumer.batches[0]?.source, 'otlp-grpc');
});

test('[IN12] partial_success has the count and the first reasons', async () => {
  const made = setup();
  await withServer(made, async (send) => {
    const body = encode('traces', withBytes(traceRequest(span(), span({ traceId: '0'.repeat(32) }))));
    const answer = await send(TRACES, body);
    assert.equal(answer.subarray(2, 5).toString('hex'), '080112');
    assert.match(answer.toString(), /spans\[1\]\.traceId: all zero$/);
  });
  assert.equal(made.consumer.records.length, 1);
});

test('[IN3] what cannot be parsed is INVALID_ARGUMENT with the reason', async () => {
  await withServer(setup(), async (send) => {
    const error = await failure(send(TRACES, Buffer.from('0aff', 'hex')));
    assert.deepEqual([error.code, /resourceSpans\[0\]/.test(error.details)], [3, true]);
    const logs = encode('logs', logRequest({ timeUnixNano: '5', severityNumber: 9 }));
    assert.match((await failure(send(TRACES, logs))).details, /LogsService/);
  });
});

test('[IN14] a full service is RESOURCE_EXHAUSTED with RetryInfo', async () => {
  const made = setup();
  made.consumer.refusal = new BoundaryError('RESOURCE_EXHAUSTED', 'full', { retryAfterMs: 2500 });
  await withServer(made, async (send) => {
    const error = await failure(send(TRACES, traces));
    assert.equal(error.code, 8);
    const [details] = error.metadata.get('grpc-status-details-bin');
    // google.rpc.Status { code: 8, message: "full", details: [RetryInfo { 2 s, 500,000,000 ns }] }
    assert.ok(Buffer.isBuffer(details));
    assert.equal(details.subarray(0, 8).toString('hex'), `08081204${Buffer.from('full').toString('hex')}`);
    assert.match(details.toString('latin1'), /type\.googleapis\.com\/google\.rpc\.RetryInfo/);
    assert.equal(details.subarray(-12).toString('hex'), '120a0a0808021080cab5ee01');
  });
});

test('[IN13] a message above the wire limit is RESOURCE_EXHAUSTED without RetryInfo', async () => {
  const made = setup({ maxBodyBytes: 1000, maxDecompressedBytes: 5000 });
  await withServer(made, async (send) => {
    const error = await failure(send(TRACES, Buffer.alloc(1001)));
    assert.deepEqual([error.code, error.metadata.get('grpc-status-details-bin')], [8, []]);
  });
});

test('[IN13] gzip: the limit after decompression is its own, and a bomb stops at it', async () => {
  const made = setup({ maxBodyBytes: 100_000, maxDecompressedBytes: 1_000_000 });
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, made.inflight.used)), 1);
  watch.unref();
  await withServer(made, async (send, _server, port) => {
    // Field 15, unknown, as padding: larger than the wire limit once inflated, and still taken.
    const pad = Buffer.concat([Buffer.from('7a80ea30', 'hex'), Buffer.alloc(800_000)]);
    const fits = await compressedCall(port, gzipSync(Buffer.concat([traces, pad])));
    assert.deepEqual(fits, { status: '0', details: undefined });
    most = 0;
    const bomb = await compressedCall(port, gzipSync(Buffer.alloc(90_000_000)));
    assert.deepEqual(bomb, { status: '8', details: undefined });
    const damaged = await compressedCall(port, gzipSync(traces).subarray(0, 30));
    assert.deepEqual(damaged, { status: '3', details: undefined });
    assert.equal((await send(TRACES, traces)).length, 0);
  });
  clearInterval(watch);
  assert.ok(most <= 1_400_000, `${most} bytes were held`);
  assert.equal(made.consumer.records.length, 2);
});

test('[IN17] bytes are counted while they arrive; beyond the shared limit senders are told to come again', async () => {
  const inflight = new InflightBytes(50_000);
  const made = setup({}, { inflight });
  await withServer(made, async (send) => {
    const error = await failure(send(TRACES, Buffer.alloc(200_000)));
    assert.equal(error.code, 8);
    assert.equal(error.metadata.get('grpc-status-details-bin').length, 1);
    assert.equal((await send(TRACES, traces)).length, 0);
  });
});

test('[IN14] draining refuses with UNAVAILABLE and finishes what runs', async () => {
  const made = setup();
  await withServer(made, async (send, server) => {
    let open = (): void => {};
    made.consumer.gate = new Promise((resolve) => (open = resolve));
    const running = send(TRACES, traces);
    await eventually(() => made.inflight.used > 0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const drained = server.drain();
    const refused = await failure(send(TRACES, traces));
    assert.equal(refused.code, 14);
    open();
    assert.equal((await running).length, 0);
    await drained;
  });
  assert.equal(made.consumer.records.length, 1);
});

test('[IN16] with a token set, only its bearer may send', async () => {
  const made = setup({}, { access: createAccess({ token: 'secret-token', adminToken: 'admin-token' }) });
  await withServer(made, async (send) => {
    assert.equal((await failure(send(TRACES, traces))).code, 16);
    const metadata = new Metadata();
    metadata.set('authorization', 'Bearer secret-token');
    assert.equal((await send(TRACES, traces, metadata)).length, 0);
  });
});

test('[IN14] an unexpected failure is INTERNAL and does not tell its own text', async () => {
  const made = setup();
  made.consumer.refusal = new Error('private text');
  await withServer(made, async (send) => {
    const error = await failure(send(TRACES, traces));
    assert.equal(error.code, 13);
    assert.doesNotMatch(error.message, /private/);
  });
});

test('[PO8] a body of a megabyte may be sent without leave from the service', async () => {
  await withServer(setup(), async (_send, _server, port) => {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    try {
      const ofCall = (): number => session.remoteSettings.initialWindowSize ?? 0;
      const ofConnection = (): number => session.state.remoteWindowSize ?? 0;
      await eventually(() => ofCall() > 65_535 && ofConnection() > 65_535);
      assert.deepEqual([ofCall(), ofConnection()], [1024 * 1024, 4 * 1024 * 1024]);
    } finally {
      session.destroy();
    }
  });
});

/** A gRPC call with a message that is already compressed; grpc-js clients compress only what they are given whole. */
function compressedCall(
  port: number,
  message: Buffer,
): Promise<{ readonly status: unknown; readonly details: unknown }> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    session.on('error', reject);
    const stream = session.request({
      ':method': 'POST',
      ':path': TRACES,
      'content-type': 'application/grpc',
      te: 'trailers',
      'grpc-encoding': 'gzip',
    });
    let status: unknown;
    let details: unknown;
    const read = (headers: Readonly<Record<string, unknown>>): void => {
      status ??= headers['grpc-status'];
      details ??= headers['grpc-status-details-bin'];
    };
    stream.on('response', read);
    stream.on('trailers', read);
    stream.on('error', reject);
    stream.on('close', () => {
      session.close();
      resolve({ status, details });
    });
    stream.resume();
    const prefix = Buffer.alloc(5);
    prefix[0] = 1;
    prefix.writeUInt32BE(message.length, 1);
    stream.end(Buffer.concat([prefix, message]));
  });
}

test('[RT13] what is passed on is not decoded; its answer and its failure are those of who takes it', async () => {
  const seen: unknown[] = [];
  const made = setup(
    {},
    {
      passOn: async ({ signal, encoding, body }, sender, headers) => {
        seen.push([signal, encoding, body, sender.by, headers]);
        if (seen.length > 1) throw new BoundaryError('RESOURCE_EXHAUSTED', 'full', { retryAfterMs: 7_000 });
        return { rejected: 2, message: 'two' };
      },
    },
  );
  await withServer(made, async (send) => {
    const metadata = new Metadata();
    metadata.set('authorization', 'Bearer 1');
    const none = Buffer.from([0xff]);
    const answer = await send(TRACES, none, metadata);
    assert.deepEqual(answer, exportResponseProto({ rejected: 2, message: 'two' }));
    assert.deepEqual(seen, [['traces', 'protobuf', none, 'nobody', { authorization: 'Bearer 1' }]]);
    const { code, metadata: details } = await failure(send(LOGS, none));
    assert.equal(code, status.RESOURCE_EXHAUSTED);
    assert.equal(details.get('grpc-status-details-bin').length, 1);
  });
  assert.equal(made.consumer.batches.length, 0);
});
