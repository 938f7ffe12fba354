import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { createAccess } from '../../access/access.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import { createHostOriginCheck } from '../../transport/host-origin-check.ts';
import { InflightBytes } from '../../transport/inflight-bytes.ts';
import { eventually, setup, type TestSetup } from '../otlp-server.test-support.ts';
import { encode, logRequest, reference, span, traceRequest, withBytes } from '../otlp/otlp.test-support.ts';
import { OtlpHttpReceiver } from './otlp-http-receiver.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const PROTO_TYPE = { 'content-type': 'application/x-protobuf' };
const jsonBody = Buffer.from(JSON.stringify(traceRequest(span())));
const protoBody = encode('traces', withBytes(traceRequest(span())));

async function withServer(
  made: TestSetup,
  run: (url: string, server: OtlpHttpReceiver, port: number) => Promise<void>,
) {
  const server = new OtlpHttpReceiver(made.options);
  const { port } = await server.start();
  try {
    await run(`http://127.0.0.1:${port}`, server, port);
  } finally {
    await server.stop();
  }
  assert.equal(made.inflight.used, 0, 'every reserved byte was given back');
}

const post = (url: string, headers: Record<string, string>, body: Uint8Array): Promise<Response> =>
  fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });

test('[IN12] what was taken whole is answered 200 with an empty message in its encoding', async () => {
  const made = setup();
  await withServer(made, async (url) => {
    const json = await post(
      `${url}/v1/traces`,
      { 'content-type': 'application/json; charset=utf-8' },
      jsonBody,
    );
    assert.deepEqual(
      [json.status, json.headers.get('content-type'), await json.text()],
      [200, 'application/json', '{}'],
    );
    const proto = await post(`${url}/v1/traces`, PROTO_TYPE, protoBody);
    assert.deepEqual(
      [proto.status, proto.headers.get('content-type'), await proto.text()],
      [200, 'application/x-protobuf', ''],
    );
    const logs = await post(
      `${url}/v1/logs`,
      JSON_TYPE,
      Buffer.from(JSON.stringify(logRequest({ body: { stringValue: 'x' } }))),
    );
    assert.equal(logs.status, 200);
    const metrics = {
      resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'm', gauge: { dataPoints: [{}, {}] } }] }] }],
    };
    assert.equal(
      (await post(`${url}/v1/metrics`, JSON_TYPE, Buffer.from(JSON.stringify(metrics)))).status,
      200,
    );
  });
  assert.deepEqual(
    [...made.counts.accepted],
    [
      ['span', 2],
      ['log', 1],
      ['metric', 2],
    ],
  );
  assert.equal(made.consumer.batches[0]?.source, 'otlp-http');
});

test('[IN12] partial_success tells how many were rejected and why, in both encodings', async () => {
  const made = setup();
  const bad = traceRequest(span(), span({ spanId: '0'.repeat(16) }));
  await withServer(made, async (url) => {
    const json = await (await post(`${url}/v1/traces`, JSON_TYPE, Buffer.from(JSON.stringify(bad)))).json();
    assert.deepEqual(json, {
      partialSuccess: {
        rejectedSpans: '1',
        errorMessage: 'resourceSpans[0].scopeSpans[0].spans[1].spanId: all zero',
      },
    });
    const proto = await post(`${url}/v1/traces`, PROTO_TYPE, encode('traces', withBytes(bad)));
    const type = reference.root.lookupType('otlp.Span.Event');
    assert.ok(type, 'the reference codec is there');
    const bytes = Buffer.from(await proto.arrayBuffer());
    assert.equal(
      bytes.subarray(0, 6).toString('hex'),
      `0a${(bytes.length - 2).toString(16)}080112${(bytes.length - 6).toString(16)}`,
    );
    assert.match(bytes.toString(), /spanId: all zero$/);
  });
  assert.deepEqual([...made.counts.rejected], [['span/invalid', 2]]);
});

test('[IN15] gzip, deflate with and without its header, and identity are read', async () => {
  const made = setup();
  await withServer(made, async (url) => {
    for (const [encoding, body] of [
      ['gzip', gzipSync(protoBody)],
      ['deflate', deflateSync(protoBody)],
      ['deflate', deflateRawSync(protoBody)],
      ['identity', protoBody],
    ] as const) {
      const answer = await post(`${url}/v1/traces`, { ...PROTO_TYPE, 'content-encoding': encoding }, body);
      assert.equal(answer.status, 200, encoding);
    }
  });
  assert.equal(made.consumer.records.length, 4);
});

test('[IN15] what is not OTLP/HTTP is refused with a status and a text that helps', async () => {
  const made = setup();
  await withServer(made, async (url, _server, port) => {
    const message = async (answer: Response): Promise<string> =>
      ((await answer.json()) as { message: string }).message;
    const wrongType = await post(`${url}/v1/traces`, { 'content-type': 'text/plain' }, jsonBody);
    assert.equal(wrongType.status, 415);
    assert.match(await message(wrongType), /application\/x-protobuf or application\/json/);
    const brotli = await post(`${url}/v1/traces`, { ...JSON_TYPE, 'content-encoding': 'br' }, jsonBody);
    assert.equal(brotli.status, 415);
    assert.match(await message(brotli), /gzip, deflate or identity/);
    const get = await fetch(`${url}/v1/traces`);
    assert.deepEqual([get.status, get.headers.get('allow')], [405, 'POST']);
    const elsewhere = await post(`${url}/v1/spans`, JSON_TYPE, jsonBody);
    assert.equal(elsewhere.status, 404);
    assert.match(await message(elsewhere), /\/v1\/traces/);
    const unreadable = await post(`${url}/v1/traces`, JSON_TYPE, Buffer.from('{'));
    assert.deepEqual(
      [unreadable.status, await unreadable.json()],
      [400, { code: 3, message: 'the body is not valid JSON' }],
    );
    const damaged = await post(
      `${url}/v1/traces`,
      { ...JSON_TYPE, 'content-encoding': 'gzip' },
      gzipSync(jsonBody).subarray(0, 40),
    );
    assert.equal(damaged.status, 400);
    const proto = await post(`${url}/v1/traces`, PROTO_TYPE, Buffer.from('ff', 'hex'));
    assert.deepEqual([proto.status, proto.headers.get('content-type')], [400, 'application/x-protobuf']);
    assert.equal(
      Buffer.from(await proto.arrayBuffer())
        .subarray(0, 2)
        .toString('hex'),
      '0803',
    );
    const h2 = await raw(port, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    assert.match(h2, /^HTTP\/1\.1 400 .*gRPC is at port 1/s);
  });
});

test('[IN9] logs sent to /v1/traces are refused with the right endpoint in the text', async () => {
  await withServer(setup(), async (url) => {
    const body = encode(
      'logs',
      logRequest({ timeUnixNano: '5', severityNumber: 9, body: { stringValue: 'x' } }),
    );
    const answer = await post(`${url}/v1/traces`, PROTO_TYPE, body);
    assert.equal(answer.status, 400);
    assert.match(await answer.text(), /\/v1\/logs/);
  });
});

test('[IN13] the limits before and after decompression hold, and a bomb never grows past them', async () => {
  const made = setup({ maxBodyBytes: 100_000, maxDecompressedBytes: 1_000_000 });
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, made.inflight.used)), 1);
  watch.unref();
  await withServer(made, async (url) => {
    const declared = await post(`${url}/v1/traces`, PROTO_TYPE, Buffer.alloc(100_001));
    assert.equal(declared.status, 413);
    const undeclared = await chunked(`${url}/v1/traces`, 400_000);
    assert.equal(undeclared, 413);
    const fits = await post(
      `${url}/v1/traces`,
      { ...JSON_TYPE, 'content-encoding': 'gzip' },
      gzipSync(padded(999_000)),
    );
    assert.equal(fits.status, 200);
    most = 0;
    const bomb = gzipSync(Buffer.alloc(90_000_000));
    assert.ok(bomb.length < 100_000);
    const answer = await post(`${url}/v1/traces`, { ...PROTO_TYPE, 'content-encoding': 'gzip' }, bomb);
    assert.equal(answer.status, 413);
    assert.match(await answer.text(), /after decompression/);
    assert.equal(answer.headers.get('retry-after'), null);
  });
  clearInterval(watch);
  assert.ok(most <= 1_400_000, `${most} bytes were held`);
});

test('[IN14] a full service answers 429 and a draining one 503, both with Retry-After; what runs is finished', async () => {
  const made = setup();
  await withServer(made, async (origin, server) => {
    const url = `${origin}/v1/traces`;
    made.consumer.refusal = new BoundaryError('RESOURCE_EXHAUSTED', 'full', { retryAfterMs: 2500 });
    const full = await post(url, JSON_TYPE, jsonBody);
    assert.deepEqual([full.status, full.headers.get('retry-after')], [429, '3']);
    assert.deepEqual([...made.counts.rejected], [['span/resource_exhausted', 1]]);
    await full.text();
    made.consumer.refusal = undefined;
    let open = (): void => {};
    made.consumer.gate = new Promise((resolve) => (open = resolve));
    const running = post(url, JSON_TYPE, jsonBody);
    await eventually(() => made.inflight.used > 0);
    const drained = server.drain();
    const refused = await post(url, JSON_TYPE, jsonBody);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
    open();
    assert.equal((await running).status, 200);
    await drained;
    assert.equal(made.consumer.records.length, 1);
  });
});

test('[IN17] request bytes in flight are bounded over all requests', async () => {
  const inflight = new InflightBytes(1000);
  const made = setup({}, { inflight });
  await withServer(made, async (url) => {
    const answer = await post(`${url}/v1/traces`, JSON_TYPE, padded(5000));
    assert.equal(answer.status, 429);
    assert.equal((await post(`${url}/v1/traces`, JSON_TYPE, jsonBody)).status, 200);
  });
});

test('[IN16] with a token set, only its bearer may send', async () => {
  const made = setup({}, { access: createAccess({ token: 'secret-token', adminToken: 'admin-token' }) });
  await withServer(made, async (url) => {
    const send = async (authorization?: string): Promise<number> => {
      const headers = authorization === undefined ? JSON_TYPE : { ...JSON_TYPE, authorization };
      return (await post(`${url}/v1/traces`, headers, jsonBody)).status;
    };
    assert.equal(await send(), 401);
    assert.equal(await send('Bearer secret-toke'), 401);
    assert.equal(await send('Basic secret-token'), 401);
    assert.equal(await send('Bearer secret-token'), 200);
  });
});

test('[IN23] a page of another origin, or one that gave the service a name of its own, cannot write', async () => {
  const answersTo = async (made: TestSetup, headers: string): Promise<string> => {
    let answer = '';
    await withServer(made, async (_url, _server, port) => {
      const head = `POST /v1/traces HTTP/1.1\r\nContent-Type: application/json\r\nConnection: close\r\n${headers}`;
      answer = await raw(port, `${head}Content-Length: ${jsonBody.length}\r\n\r\n${jsonBody.toString()}`);
    });
    return answer;
  };
  const rebound = setup();
  const refused = await answersTo(rebound, 'Host: evil.example:4318\r\nOrigin: http://evil.example:4318\r\n');
  assert.match(refused, /^HTTP\/1\.1 403 [^]*"code":7[^]*`allowedHosts` adds one/);
  assert.match(
    await answersTo(rebound, 'Host: localhost\r\nOrigin: https://evil.example\r\n'),
    /^HTTP\/1\.1 403 [^]*`allowedOrigins` adds one/,
  );
  assert.deepEqual(rebound.consumer.records, []);
  const own = 'Host: localhost:4318\r\nOrigin: http://localhost:4318\r\n';
  assert.match(await answersTo(setup(), own), /^HTTP\/1\.1 200 /);

  const wide = setup({}, { hostOriginCheck: createHostOriginCheck({ host: '0.0.0.0' }) });
  assert.match(await answersTo(wide, 'Host: explain.monitoring.svc\r\n'), /^HTTP\/1\.1 200 /);
  assert.match(
    await answersTo(wide, 'Host: explain.monitoring.svc\r\nOrigin: https://evil.example\r\n'),
    /^HTTP\/1\.1 403 /,
  );
});

test('[IN13] a sender that asks with Expect: 100-continue is refused before its body', async () => {
  await withServer(setup({ maxBodyBytes: 1000 }), async (_url, _server, port) => {
    const head =
      'POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nConnection: close\r\n';
    assert.match(await raw(port, `${head}Content-Length: 5000\r\n\r\n`), /^HTTP\/1\.1 413 /);
    assert.match(
      await raw(port, `${head}Content-Length: 2\r\n\r\n{}`),
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /,
    );
  });
});

function padded(size: number): Buffer {
  const text = JSON.stringify(traceRequest(span()));
  return Buffer.from(text + ' '.repeat(Math.max(0, size - text.length)));
}

/** Sends without a length; gives the status. */
function chunked(url: string, size: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'POST', headers: PROTO_TYPE }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
    for (let sent = 0; sent < size; sent += 50_000) request.write(Buffer.alloc(50_000));
    request.end();
  });
}

/** Sends bytes as they are; gives everything that comes back within a short time. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    const timer = setTimeout(() => socket.destroy(), 500);
    socket.on('data', (piece) => (answer += piece.toString()));
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(answer);
    });
  });
}

test('[RT13] what is passed on is not decoded; it is uncompressed, and its answer and failure are those of who takes it', async () => {
  const seen: unknown[] = [];
  const made = setup(
    {},
    {
      passOn: async ({ signal, encoding, body }, _sender, headers) => {
        seen.push([signal, encoding, body.toString(), headers]);
        if (seen.length > 1) throw new BoundaryError('UNAVAILABLE', 'away', { retryAfterMs: 7_000 });
        return { rejected: 0, message: 'a warning' };
      },
    },
  );
  await withServer(made, async (url) => {
    const headers = { ...JSON_TYPE, 'content-encoding': 'gzip', 'x-api-key': 'key 1' };
    const first = await post(`${url}/v1/logs`, headers, gzipSync('no JSON'));
    assert.deepEqual(await first.json(), { partialSuccess: { errorMessage: 'a warning' } });
    assert.deepEqual(seen, [['logs', 'json', 'no JSON', { 'x-api-key': 'key 1' }]]);
    const second = await post(`${url}/v1/logs`, headers, gzipSync('no JSON'));
    assert.deepEqual([second.status, second.headers.get('retry-after')], [503, '7']);
  });
  assert.equal(made.consumer.batches.length, 0);
});
