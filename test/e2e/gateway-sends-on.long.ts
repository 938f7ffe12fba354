import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Client, credentials } from '@grpc/grpc-js';
import { gzipSync } from 'node:zlib';
import { NOBODY } from '../../src/access/principal.ts';
import { unlimited } from '../../src/access/limits.ts';
import { systemClock, type Clock } from '../../src/base/clock.ts';
import { Pace } from '../../src/base/pace.ts';
import { GatewayAnswers } from '../../src/gateway/answers/gateway-answers.ts';
import type { AskedCell } from '../../src/gateway/answers/asked-cell.ts';
import { CellList } from '../../src/gateway/cells/cell-list.ts';
import { connectCell } from '../../src/gateway/cells/connect-cell.ts';
import { OtlpGrpcReceiver } from '../../src/receivers/otlp-grpc/otlp-grpc-receiver.ts';
import { OtlpHttpReceiver } from '../../src/receivers/otlp-http/otlp-http-receiver.ts';
import {
  attribute,
  encode,
  span,
  traceRequest,
  withBytes,
} from '../../src/receivers/otlp/otlp.test-support.ts';
import { setup } from '../../src/receivers/otlp-server.test-support.ts';
import type { HttpRequest } from '../../src/servers/http/route.ts';
import { SendingOn } from '../../src/service/gateway/sending-on.ts';
import { RealService } from './real-service.ts';

const NAMES = ['a', 'b', 'c'];
const TRACES = Array.from({ length: 30 }, (_, i) => (i + 1).toString(16).padStart(2, '0').repeat(16));
const SPANS = traceRequest(
  ...TRACES.map((traceId, i) => span({ traceId, spanId: (i + 1).toString(16).padStart(16, '0') })),
);

/** Nobody is too late, however slow the machine is. */
const PATIENT: Clock = { ...systemClock, after: () => ({ cancel() {} }) };

async function gateway(t: TestContext) {
  const cells = new Map<string, RealService>();
  for (const name of NAMES) {
    const service = await RealService.of(t);
    cells.set(name, service);
  }
  const list = new CellList();
  const take = (names: readonly string[]): void =>
    list.take(
      names.map((name) => {
        const { host, port } = cells.get(name)!.service.addresses.readers;
        return { name, address: `${host}:${port}`, endpoint: `${name}:4317` };
      }),
    );
  take(NAMES);
  const asked = list.current().map((at): AskedCell => {
    const answers = connectCell(at, { project: 'default', level: 'texts' }, {});
    t.after(() => answers.close());
    return { name: at.name, answers };
  });
  const sendingOn = new SendingOn({
    addresses: list,
    cells: () => asked,
    routeBy: 'traceID',
    clock: PATIENT,
    pace: new Pace(systemClock),
    maxBodyBytes: 16 * 1024 * 1024,
  });
  t.after(() => sendingOn.stop());
  /** As the readers' port does. */
  const post = async (path: string, value: unknown): Promise<{ status: number; body: unknown }> => {
    const route = sendingOn.routes.find((known) => known.path === path);
    const body = Buffer.from(JSON.stringify(value));
    const request = {
      raw: { headers: { 'content-type': 'application/json' } },
      params: {},
      query: new URLSearchParams(),
      principal: NOBODY,
      body: async () => body,
      perKey: unlimited(),
    } as unknown as HttpRequest;
    const answer = await route?.handle(request, undefined as never);
    return { status: answer?.status ?? 0, body: JSON.parse(answer?.body as string) };
  };
  return { cells, asked, take, sendingOn, post };
}

/** How many cells show each of them: the node itself, or one of that trace. */
async function cellsOf(
  cells: ReadonlyMap<string, RealService>,
  ids: readonly string[],
): Promise<readonly number[]> {
  const shown = ids.map(() => 0);
  for (const service of cells.values()) {
    await service.flush();
    const nodes = (await service.graph()).nodes.map(({ id }) => id);
    for (const [i, key] of ids.entries())
      if (nodes.some((id) => id === key || id.startsWith(`${key}:`))) shown[i] = (shown[i] ?? 0) + 1;
  }
  return shown;
}

test('[RT2] [RT13] spans over both ports of OTLP come into the cells, each trace into one', async (t) => {
  const { cells, sendingOn } = await gateway(t);
  const { options } = setup({}, { passOn: sendingOn.passOn });
  const grpc = new OtlpGrpcReceiver(options);
  const http = new OtlpHttpReceiver(options);
  const { port } = await grpc.start();
  const url = `http://127.0.0.1:${(await http.start()).port}`;
  t.after(() => Promise.all([grpc.stop(), http.stop()]));
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  t.after(() => client.close());
  const same = (bytes: Buffer): Buffer => bytes;
  const answer = await new Promise<Buffer>((resolve, reject) => {
    const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
    client.makeUnaryRequest(path, same, same, encode('traces', withBytes(SPANS)), (error, value) =>
      error ? reject(error) : resolve(value ?? Buffer.alloc(0)),
    );
  });
  assert.equal(answer.length, 0);
  assert.deepEqual(
    await cellsOf(cells, TRACES),
    TRACES.map(() => 1),
  );
  // The same again, in JSON, compressed, with one span that is none.
  const bad = {
    ...SPANS,
    resourceSpans: [...(SPANS as { resourceSpans: object[] }).resourceSpans, traceOf('0'.repeat(32))],
  };
  const response = await fetch(`${url}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: new Uint8Array(gzipSync(JSON.stringify(bad))),
  });
  const { partialSuccess } = (await response.json()) as {
    partialSuccess: { rejectedSpans: string; errorMessage: string };
  };
  assert.deepEqual([response.status, partialSuccess.rejectedSpans], [200, '1']);
  assert.match(partialSuccess.errorMessage, /traceId: all zero/);
  assert.deepEqual(
    await cellsOf(cells, TRACES),
    TRACES.map(() => 1),
  );
});

function traceOf(traceId: string): object {
  return (traceRequest(span({ traceId })) as { resourceSpans: readonly [object] }).resourceSpans[0];
}

test('[RT6] [RT10] a secret that is cut over the pieces of a thought is hidden while cells come and go', async (t) => {
  const { cells, take, post } = await gateway(t);
  const requests = Array.from({ length: 12 }, (_, i) => `request-${i}`);
  const piece = (requestId: string, text: string, fields: object = {}): object => ({
    requestId,
    timestamp: 1_750_000_000_000,
    tokens: [text],
    ...fields,
  });
  const first = await post('/api/cot', [
    ...requests.map((id) => piece(id, 'Write to jane.doe@exa', { sequence: 1 })),
    { text: 'no request' },
  ]);
  assert.equal(first.status, 202);
  assert.deepEqual(first.body, {
    accepted: 12,
    rejected: 1,
    errors: [{ index: 12, message: 'requestId: required, a string that is not empty' }],
  });
  take(['b', 'c']);
  const refused = await post(
    '/api/cot',
    requests.map((id) => piece(id, 'mple.com today', { sequence: 2, final: true })),
  ).then(
    () => assert.fail('thoughts of the cell that is away are refused'),
    (error: unknown) => error,
  );
  assert.equal((refused as { code: string }).code, 'UNAVAILABLE');
  take(NAMES);
  const pieces = requests.map((id, i) =>
    piece(id, 'mple.com today', { sequence: 2, final: true, traceId: TRACES[i] }),
  );
  assert.equal((await post('/api/cot', pieces)).status, 202);
  assert.deepEqual(
    await cellsOf(
      cells,
      requests.map((id) => `req:${id}`),
    ),
    requests.map(() => 1),
  );
  for (const service of cells.values()) {
    const text = JSON.stringify(await service.graph());
    assert.doesNotMatch(text, /jane|mple\.com/);
  }
});

test('[RT15] [GV12] a thought without a trace and the span of its request are one step, whichever is sent first, whatever its id', async (t) => {
  const { asked, cells, sendingOn, post } = await gateway(t);
  const requests = Array.from(
    { length: 12 },
    (_, n) => `request-${n}-${Math.random().toString(36).slice(2)}`,
  );
  const thoughtFirst = requests.slice(0, 6);
  const thought = (requestId: string, n: number): object => ({
    requestId,
    timestamp: 1_750_000_000_500,
    text: `I think.`,
    final: true,
    // One may name the span that it is of, without its trace.
    ...(n % 2 === 1 && { spanId: `${n + 1}`.padStart(16, '0') }),
  });
  const spans = traceRequest(
    ...requests.map((requestId, n) =>
      span({
        traceId: TRACES[Math.floor(Math.random() * TRACES.length)],
        spanId: `${n + 1}`.padStart(16, '0'),
        attributes: [
          attribute('requestId', { stringValue: requestId }),
          attribute('model.name', { stringValue: 'llama-3' }),
        ],
      }),
    ),
  );
  await post('/api/cot', thoughtFirst.map(thought));
  const body = Buffer.from(JSON.stringify(spans));
  await sendingOn.passOn({ signal: 'traces', encoding: 'json', body }, NOBODY, {});
  await post('/api/cot', requests.slice(6).map(thought));

  const ids = requests.map((requestId) => `req:${requestId}`);
  const having = await cellsOf(cells, ids);
  assert.deepEqual(having.slice(6), [1, 1, 1, 1, 1, 1]);
  const answers = new GatewayAnswers({ cells: () => asked, clock: PATIENT, pace: new Pace(systemClock) });
  const { nodes } = await answers.getGraph({ collapse: 'none' });
  for (const [n, id] of ids.entries()) {
    const shown = nodes.filter((node) => node.id === id);
    assert.deepEqual(
      shown.map(({ model }) => model),
      ['llama-3'],
      id,
    );
    const { node, texts } = await answers.getNode(id);
    assert.equal(node.model, 'llama-3');
    assert.match(texts?.reasoning ?? '', /I think/);
    assert.equal(node.details?.['correlation'], having[n] === 1 ? 'matched' : 'pending');
  }
});

test('[RT7] [RT11] events go to the cell of what they point at, and sessions of protocols are not cut', async (t) => {
  const { cells, post } = await gateway(t);
  const requests = Array.from({ length: 8 }, (_, i) => `request-${i}`);
  const time = 1_750_000_000_000;
  await post(
    '/api/cot',
    requests.map((requestId, i) => ({
      requestId,
      timestamp: time,
      text: 'x',
      final: true,
      traceId: TRACES[i],
    })),
  );
  const event = (requestId: string): object => ({
    eventType: 'PlanUpdated',
    eventID: `of ${requestId}`,
    timestamp: time + 1,
    payload: { requestId },
  });
  const { status } = await post('/api/events', requests.map(event));
  assert.equal(status, 202);
  let edges = 0;
  for (const service of cells.values()) {
    await service.flush();
    edges += (await service.graph()).edges.filter(
      ({ from, to }) => from.startsWith('req:') && to.startsWith('event:'),
    ).length;
  }
  assert.equal(edges, requests.length);
  const envelope = {
    protocol: 'mew/v0.4',
    id: 'm1',
    ts: '2025-01-01T00:00:00Z',
    from: 'x',
    kind: 'chat',
    payload: { text: 'y' },
  };
  const mew = await post('/mew/envelopes', [envelope]);
  assert.deepEqual([mew.status, (mew.body as { accepted: number }).accepted], [202, 1]);
});
