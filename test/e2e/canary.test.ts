import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { AUDIT_FILES } from '../../src/redaction/audit-log.ts';
import { verifyAuditFolder } from '../../src/redaction/audit-log-verify.ts';
import { connectGrpc } from '../reader-contract/grpc-client.ts';
import { ReaderError, type ReaderClient } from '../reader-contract/reader-client.ts';
import { filesOf } from './files-of.ts';
import { Canaries } from './canaries.ts';
import { callOtlp, OTLP_WAYS, postOtlp } from './otlp-senders.ts';
import {
  plantedEvents,
  plantedLogs,
  plantedMetrics,
  plantedRecords,
  plantedThoughts,
  plantedTraces,
} from './planted.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import { SpawnedService } from './spawned-service.ts';
import { until } from '../support/until.ts';

/** Everything that came out, by where. */
type Outputs = Map<string, string>;

const VIEW = { collapse: 'none', include: ['ui'] };
const FORMATS = ['explanation', 'cytoscape', 'd3', 'graphology'];
const JSON_BODY = { 'content-type': 'application/json' };

/** With everything on that keeps something. */
const VAULT_KEY = '5c'.repeat(32);
const VAULT = ['--vault-key', VAULT_KEY, '--vault-secrets'];

/** A reader from the first moment on, so that what was shown only for a moment is seen too. */
class Watchers {
  private readonly frames: string[] = [];
  private readonly streamed: string[] = [];
  private readonly socket: WebSocket;
  private readonly grpc: ReaderClient;
  private reading: Promise<void> = Promise.resolve();

  private constructor(socket: WebSocket, grpc: ReaderClient) {
    this.socket = socket;
    this.grpc = grpc;
  }

  static async start(service: RealService, t: TestContext): Promise<Watchers> {
    const socket = new WebSocket(`${service.readers.replace('http', 'ws')}/explain`);
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    const watchers = new Watchers(socket, await connectGrpc(service.service.addresses.readers));
    socket.addEventListener('message', ({ data }) => watchers.frames.push(String(data)));
    socket.send(JSON.stringify({ type: 'subscribe', request: VIEW }));
    const { frames } = await watchers.grpc.subscribe(VIEW);
    t.after(() => {
      socket.close();
      return watchers.grpc.disconnect();
    });
    watchers.reading = (async () => {
      while (frames.endReason === undefined) {
        const frame = await frames.poll(50);
        if (frame) watchers.streamed.push(JSON.stringify(frame));
      }
      watchers.streamed.push(frames.endReason);
    })();
    return watchers;
  }

  send(text: string): void {
    this.socket.send(text);
  }

  /** Resolves when both have seen the text. */
  saw(text: string): Promise<void> {
    const seen = (all: readonly string[]): boolean => all.some((frame) => frame.includes(text));
    return until(`both readers have seen ${text}`, () => seen(this.frames) && seen(this.streamed));
  }

  /** Call after the service has stopped. */
  async collect(outputs: Outputs): Promise<void> {
    await this.reading;
    await this.grpc.disconnect();
    outputs.set('WebSocket frames', this.frames.join('\n'));
    outputs.set('gRPC stream', this.streamed.join('\n'));
  }
}

async function plantEverything(service: RealService, canaries: Canaries): Promise<void> {
  let n = 0;
  for (const [way, send] of Object.entries(OTLP_WAYS)) {
    const traces = await send(service, 'traces', plantedTraces(canaries, way, ++n));
    const logs = await send(service, 'logs', plantedLogs(canaries, way));
    const nothing = way.endsWith('JSON') ? '{}' : '';
    const taken = { status: way === 'OTLP/gRPC' ? 0 : 200, text: nothing };
    assert.deepEqual([traces, logs], [taken, taken], way);
  }
  for (const [path, items] of [
    ['/api/cot', plantedThoughts(canaries, 'POST /api/cot')],
    ['/api/events', plantedEvents(canaries, 'POST /api/events')],
  ] as const) {
    // One request each, so that text in pieces is shown piece by piece.
    for (const item of items) {
      const response = await fetch(service.readers + path, {
        method: 'POST',
        headers: JSON_BODY,
        body: JSON.stringify(item),
      });
      assert.deepEqual(await response.json(), { accepted: 1, rejected: 0, errors: [] });
    }
  }
  for (const value of plantedThoughts(canaries, 'bus'))
    await service.service.bus.publish({ topic: 'cot', value });
  for (const value of plantedEvents(canaries, 'bus'))
    await service.service.bus.publish({ topic: 'reflexion', value });
  for (const record of plantedRecords(canaries, 'records'))
    await service.service.bus.publish({ topic: 'record', record });
}

async function readEverything(
  service: Pick<RealService, 'readers' | 'graph'>,
  outputs: Outputs,
  when: string,
): Promise<void> {
  const get = async (path: string): Promise<void> => {
    const response = await fetch(service.readers + path);
    outputs.set(`${path} ${when}`, (await response.text()) + JSON.stringify([...response.headers]));
  };
  for (const format of FORMATS) {
    for (const collapse of ['none', 'auto'])
      await get(`/api/graph?include=ui&collapse=${collapse}&format=${format}`);
  }
  const shown = [await service.graph('collapse=none'), await service.graph('collapse=auto')];
  const ids = new Set(shown.flatMap(({ nodes }) => nodes.map(({ id }) => id)));
  for (const id of ids) await get(`/api/nodes/${encodeURIComponent(id)}`);
  for (const path of ['/api/tasks', '/metrics', '/', '/page.js', '/healthz', '/readyz']) await get(path);
}

async function readFiles(folder: string, outputs: Outputs): Promise<void> {
  for (const { name, bytes } of await filesOf(folder)) {
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
    outputs.set(`file ${name}`, (isGzip ? gunzipSync(bytes) : bytes).toString('latin1'));
  }
}

/** Requests that are refused, each for another reason: what was sent must not come back. */
async function provokeErrors(service: RealService, watchers: Watchers, canaries: Canaries, outputs: Outputs) {
  const plant = (place: string): string => canaries.at(`error: ${place}`);
  const keep = (where: string, text: string): void =>
    void outputs.set(`error of ${where} ${outputs.size}`, text);
  const spanWith = (fields: object): object => ({ resourceSpans: [{ scopeSpans: [{ spans: [fields] }] }] });
  const json = [
    plant('text instead of JSON'),
    `{"resourceSpans": "${plant('wrong type')}"}`,
    `{"resourceSpans": [{"${plant('unknown key')}": 1}], `,
    JSON.stringify(spanWith({ traceId: plant('trace id'), spanId: plant('span id'), name: plant('name') })),
    JSON.stringify(spanWith({ traceId: '0'.repeat(32), name: plant('name'), kind: plant('kind') })),
    JSON.stringify(
      spanWith({ traceId: 'a'.repeat(32), spanId: '5'.repeat(16), startTimeUnixNano: plant('time') }),
    ),
    JSON.stringify({
      resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: plant('logs to traces') } }] }] }],
    }),
  ];
  for (const body of json) {
    for (const path of ['/v1/traces', '/v1/logs', `/v1/${encodeURIComponent(plant('path'))}`]) {
      keep(path, (await postOtlp(service, path, body)).text);
    }
    keep('OTLP/gRPC', (await callOtlp(service, 'traces', Buffer.from(body))).text);
    keep(
      'protobuf',
      (await postOtlp(service, '/v1/traces', body, { 'content-type': 'application/x-protobuf' })).text,
    );
  }
  for (const headers of [
    { 'content-type': `text/${encodeURIComponent(plant('content type'))}` },
    { ...JSON_BODY, 'content-encoding': encodeURIComponent(plant('content encoding')) },
  ]) {
    keep('a header', (await postOtlp(service, '/v1/traces', '{}', headers)).text);
  }
  const items = [
    plant('text instead of JSON'),
    `[{"requestId": "${plant('cut off')}`,
    JSON.stringify({ [plant('key')]: 1 }),
    JSON.stringify({ requestId: 7, text: plant('text') }),
    JSON.stringify({ requestId: 'r', timestamp: plant('timestamp'), text: 'x' }),
    JSON.stringify({ requestId: 'r', timestamp: 1, tokens: plant('tokens') }),
    JSON.stringify({ requestId: 'r', timestamp: 1, text: 'x', traceId: plant('traceId') }),
    JSON.stringify({ eventType: 'x', timestamp: plant('timestamp') }),
    JSON.stringify({ eventType: { deep: plant('eventType') }, timestamp: 1 }),
  ];
  for (const body of items) {
    for (const path of ['/api/cot', '/api/events', '/api/prune', '/api/graph']) {
      const response = await fetch(service.readers + path, { method: 'POST', headers: JSON_BODY, body });
      keep(path, await response.text());
    }
    watchers.send(body);
  }
  const wrong = (place: string): object => ({ filters: { status: [plant(place)] } });
  for (const path of [
    `/${encodeURIComponent(plant('path'))}`,
    `/api/nodes/${encodeURIComponent(plant('node id'))}`,
    ...[
      'status',
      'nodeTypes',
      'minCostUsd',
      'timeStart',
      'collapse',
      'format',
      'text',
      plant('parameter'),
    ].map(
      (name) => `/api/graph?${encodeURIComponent(name)}=${encodeURIComponent(plant(`parameter ${name}`))}`,
    ),
  ]) {
    keep(path.slice(0, 12), await (await fetch(service.readers + path)).text());
  }
  const grpc = await connectGrpc(service.service.addresses.readers);
  const calls: readonly Promise<unknown>[] = [
    grpc.subscribe(wrong('gRPC status')),
    grpc.subscribe({ collapse: plant('gRPC collapse') }),
    grpc.getGraph({ filters: { timeRange: { start: plant('gRPC time'), end: plant('gRPC time') } } }),
    grpc.getNode(plant('gRPC node id')),
    grpc.updateFilters(plant('gRPC subscription'), {}),
  ];
  // They fail in any order.
  await Promise.allSettled(calls);
  for (const call of calls) {
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof ReaderError);
      keep('gRPC', error.message);
      return true;
    });
  }
  await grpc.disconnect();
  const frames = [
    { type: plant('frame type') },
    { type: 'subscribe', request: wrong('frame status') },
    { type: 'subscribe', request: { filters: { [plant('frame filter name')]: [] } } },
    { type: 'expand', subscriptionId: plant('frame subscription'), nodeId: plant('frame node') },
    { type: 'updateFilters', subscriptionId: { deep: plant('frame subscription') } },
  ];
  for (const frame of frames) watchers.send(JSON.stringify(frame));
}

function assertNoneIn(outputs: Outputs, canaries: Canaries): void {
  for (const [where, text] of outputs) assert.ok(!text.includes(VAULT_KEY), `${where} shows the vault's key`);
  const leaks = [...outputs].flatMap(([where, text]) =>
    canaries.foundIn(text).map((canary) => ({ canary, where })),
  );
  const byCanary = Map.groupBy(leaks, ({ canary }) => canary);
  assert.deepEqual(
    [...byCanary].map(([canary, all]) => `${canary} is in ${all.length} outputs, such as ${all[0]?.where}`),
    [],
  );
}

function assertShows(outputs: Outputs, where: string, what: RegExp): void {
  const text = outputs.get(where);
  assert.ok(
    text !== undefined,
    `${where} was read; there are ${[...outputs.keys()].join(', ').slice(0, 2000)}`,
  );
  assert.match(text, what, where);
}

test('[E2E1] a private value planted in any field comes out nowhere: no reader, file, log or error shows it', async (t) => {
  const dataDir = await temporaryFolder(t);
  const canaries = new Canaries();
  const outputs: Outputs = new Map();

  const first = await RealService.start({ dataDir, flags: VAULT });
  t.after(() => first.stop());
  const watchers = await Watchers.start(first, t);
  await plantEverything(first, canaries);
  await until('the last record is in the graph', async () =>
    (await first.graph()).nodes.some(({ id }) => id.startsWith('c'.repeat(32))),
  );
  await provokeErrors(first, watchers, canaries, outputs);
  await readEverything(first, outputs, 'at first');
  await watchers.saw('c'.repeat(32));
  await first.stop();
  await watchers.collect(outputs);
  outputs.set('log', first.log);

  const second = await RealService.start({ dataDir, flags: VAULT });
  t.after(() => second.stop());
  await readEverything(second, outputs, 'after a restart');
  await second.stop();
  outputs.set('log after a restart', second.log);
  await readFiles(dataDir, outputs);

  // What was planted did arrive, so that nothing found means something.
  for (const when of ['at first', 'after a restart']) {
    for (const format of FORMATS) {
      assertShows(outputs, `/api/graph?include=ui&collapse=none&format=${format} ${when}`, /\[EMAIL:\w+\]/);
    }
    assertShows(outputs, `/api/tasks ${when}`, /\[EMAIL:\w+\]/);
  }
  for (const where of ['WebSocket frames', 'gRPC stream', 'file explain_graph.json']) {
    assertShows(outputs, where, /\[EMAIL:\w+\]/);
  }
  assertShows(outputs, 'file audit.ndjson', /email/i);
  assertShows(outputs, 'file originals.ndjson', /"marker":"\[EMAIL:.*"marker":"\[SECRET:/s);
  assertShows(outputs, '/metrics at first', /explain_pii_redactions_total\{.*\} [1-9]/);
  assertNoneIn(outputs, canaries);
});

test('[E2E1] nor does it after a crash: neither files nor output of a killed service hold it, nor what starts from them', async (t) => {
  const dataDir = await temporaryFolder(t);
  const canaries = new Canaries();
  const outputs: Outputs = new Map();
  const often = ['--snapshot-interval-seconds', '1', '--log-level', 'debug'];
  const crashed = await SpawnedService.ready(t, dataDir, [...VAULT, ...often]);
  const post = async (path: string, body: unknown): Promise<void> => {
    assert.ok((await crashed.post(path, body)).ok, path);
  };
  await post('/v1/traces', plantedTraces(canaries, 'before the crash', 1));
  await post('/v1/logs', plantedLogs(canaries, 'before the crash'));
  await post('/v1/metrics', plantedMetrics(canaries, 'before the crash'));
  for (const thought of plantedThoughts(canaries, 'before the crash')) await post('/api/cot', thought);
  for (const event of plantedEvents(canaries, 'before the crash')) await post('/api/events', event);
  const stored = join(dataDir, 'explain_graph.json');
  await until('a snapshot holds the last event', async () =>
    (await readFile(stored, 'utf8').catch(() => '')).includes('Escalated'),
  );
  // In the middle of what follows: some of it is taken, some under way, some not yet in a snapshot.
  const under = Array.from({ length: 40 }, (_, n) =>
    crashed.post('/v1/traces', plantedTraces(canaries, `crash ${n}`, n + 2)).catch(() => undefined),
  );
  await Promise.race(under);
  crashed.process.kill('SIGKILL');
  await crashed.exit();
  await Promise.all(under);
  outputs.set('stdout', crashed.stdout);
  outputs.set('stderr', crashed.stderr);
  const left: Outputs = new Map();
  await readFiles(dataDir, left);
  for (const [where, text] of left) outputs.set(`${where} as the crash left it`, text);

  const second = await RealService.start({ dataDir, flags: VAULT });
  t.after(() => second.stop());
  await readEverything(second, outputs, 'after the crash');
  await second.stop();
  outputs.set('log after the crash', second.log);
  await readFiles(dataDir, outputs);

  assertShows(
    outputs,
    '/api/graph?include=ui&collapse=none&format=explanation after the crash',
    /\[EMAIL:\w+\]/,
  );
  assertShows(outputs, 'file explain_graph.json as the crash left it', /\[EMAIL:\w+\]/);
  assertShows(outputs, 'file originals.ndjson as the crash left it', /"marker":"\[EMAIL:/);
  assertNoneIn(outputs, canaries);
  for (const verdict of await verifyAuditFolder(dataDir, AUDIT_FILES)) {
    assert.equal(verdict.problem, undefined);
  }
});

test('[E2E1] the search for canaries finds one in whatever form it is shown', () => {
  const canaries = new Canaries();
  const text = canaries.at('here');
  assert.deepEqual(canaries.foundIn(JSON.stringify([{ text }]).toUpperCase()), [
    'e-mail of here',
    'key of here',
    'password of here',
  ]);
  assert.deepEqual(canaries.foundIn(canaries.cutAt('there').join('')).length, 3);
  assert.deepEqual(canaries.foundIn('[EMAIL:k3f9]'), []);
});
