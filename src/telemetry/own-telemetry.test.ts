import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { ALL_INSTRUMENTS, CELL_STATES, type CellCounts, type Instrument } from './instruments.ts';
import { type Logger, silentLogger } from './logger.ts';
import { OwnTelemetry, type OwnTelemetryOptions } from './own-telemetry.ts';

function telemetry(t: TestContext, options: Partial<OwnTelemetryOptions> = {}): OwnTelemetry {
  const made = new OwnTelemetry({
    env: {},
    logger: silentLogger,
    version: '1.2.3',
    redactionRules: ['email', 'api-key'],
    ...options,
  });
  t.after(() => made.shutdown());
  return made;
}

const NO_CELLS = Object.fromEntries(CELL_STATES.map((state) => [state, 0])) as CellCounts;

/** The value of one series. */
function valueOf(text: string, series: string): number | undefined {
  const line = text.split('\n').find((line) => line.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

function expectedSeries({ name, kind }: Instrument): RegExp {
  const base = name.replaceAll('.', '_');
  const suffix = { counter: '_total', gauge: '', histogram: '_count' }[kind];
  return new RegExp(`^${base}${suffix}(?:\\{[^}]*\\})? [0-9.e+-]+$`, 'm');
}

test('[TE1] every metric is there at the first scrape, counters and histogram at 0', async (t) => {
  const text = await telemetry(t).metricsText();
  for (const instrument of ALL_INSTRUMENTS) assert.match(text, expectedSeries(instrument));
  assert.equal(valueOf(text, 'explain_node_created_total'), 0);
  assert.equal(valueOf(text, 'explain_edge_created_total'), 0);
  assert.equal(valueOf(text, 'explain_nodes_in_memory'), 0);
  for (const state of CELL_STATES) assert.equal(valueOf(text, `explain_cells{state="${state}"}`), 0);
  assert.equal(valueOf(text, 'explain_pii_redactions_total{rule="email"}'), 0);
  assert.equal(valueOf(text, 'explain_pii_redactions_total{rule="api-key"}'), 0);
  assert.equal(valueOf(text, 'explain_graph_update_latency_count'), 0);
  assert.equal(valueOf(text, 'explain_graph_update_latency_bucket{le="50"}'), 0);
  assert.equal(valueOf(text, 'explain_graph_update_latency_bucket{le="+Inf"}'), 0);
  assert.match(text, /^# TYPE explain_graph_update_latency histogram$/m);
  assert.match(text, /^# UNIT explain_graph_update_latency ms$/m);
});

test('[TE2] what was measured is what is shown', async (t) => {
  const own = telemetry(t);
  own.observe({
    nodesInMemory: () => 42,
    subscriptions: () => 3,
    memoryBytes: () => 1024,
    memoryLimitBytes: () => 4096,
    storeBytes: () => 0,
    storeRefusing: () => 0,
    updateLatencySlaMs: () => 50,
    openCotStreams: () => 1,
    cells: () => ({ ...NO_CELLS, well: 2, away: 1 }),
  });
  own.nodesCreated(5);
  own.nodesCreated(2);
  own.edgesCreated(4);
  own.redactions('email', 3);
  own.redactionErrors(1);
  own.recordsAccepted('span', 9);
  own.recordsRejected('span', 'INVALID_ARGUMENT', 2);
  own.textsCut('cot', 3);
  own.cyclesAvoided(1);
  own.nodesEvicted('ttl', 6);
  own.updatesMerged(7);
  own.snapshotsNeeded(8);
  own.requestsRefused(9);
  own.limitsRefused('spans', 1);
  own.interruptRefused('capability', 2);
  for (const ms of [0.2, 12, 49.9, 50, 51, 6000]) own.graphUpdateLatency(ms);
  const text = await own.metricsText();
  const expected: Record<string, number> = {
    explain_node_created_total: 7,
    explain_edge_created_total: 4,
    'explain_pii_redactions_total{rule="email"}': 3,
    'explain_pii_redactions_total{rule="api-key"}': 0,
    explain_redaction_errors_total: 1,
    'explain_records_accepted_total{signal="span"}': 9,
    'explain_records_rejected_total{signal="span",reason="INVALID_ARGUMENT"}': 2,
    'explain_texts_cut_total{signal="cot"}': 3,
    'explain_texts_cut_total{signal="span"}': 0,
    explain_cycles_avoided_total: 1,
    'explain_nodes_evicted_total{reason="ttl"}': 6,
    explain_updates_merged_total: 7,
    explain_snapshots_needed_total: 8,
    explain_nodes_in_memory: 42,
    explain_subscriptions: 3,
    explain_memory_estimated: 1024,
    explain_memory_limit: 4096,
    explain_graph_update_latency_sla: 50,
    explain_requests_refused_total: 9,
    'explain_limits_refused_total{what="spans"}': 1,
    'explain_interrupts_refused_total{reason="capability"}': 2,
    'explain_interrupts_refused_total{reason="rate"}': 0,
    explain_cot_streams_open: 1,
    'explain_cells{state="well"}': 2,
    'explain_cells{state="away"}': 1,
    'explain_cells{state="unknown"}': 0,
    explain_graph_update_latency_count: 6,
    'explain_graph_update_latency_bucket{le="45"}': 2,
    'explain_graph_update_latency_bucket{le="50"}': 4,
    'explain_graph_update_latency_bucket{le="5000"}': 5,
    'explain_graph_update_latency_bucket{le="+Inf"}': 6,
  };
  for (const [series, value] of Object.entries(expected)) assert.equal(valueOf(text, series), value, series);
  assert((valueOf(text, 'explain_process_heap_used') ?? 0) > 1_000_000);
});

test('[TE2] two services in one process count apart', async (t) => {
  const [first, second] = [telemetry(t), telemetry(t)];
  first.nodesCreated(1);
  assert.equal(valueOf(await second.metricsText(), 'explain_node_created_total'), 0);
});

test('[TE2] the handler answers with Prometheus text', async (t) => {
  const own = telemetry(t);
  const server = createServer((_request, response) => void own.answerMetrics(response)).listen(0);
  t.after(() => server.close());
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  assert.match(await response.text(), /^explain_nodes_in_memory 0$/m);
});

test('[TE2] a gauge that fails takes no other metric with it', async (t) => {
  const own = telemetry(t);
  const fails = () => {
    throw new Error('gone');
  };
  own.observe({
    nodesInMemory: fails,
    subscriptions: () => 3,
    memoryBytes: () => 1,
    memoryLimitBytes: () => 1,
    storeBytes: () => 0,
    storeRefusing: () => 0,
    updateLatencySlaMs: () => 1,
    openCotStreams: () => 1,
  });
  assert.equal(valueOf(await own.metricsText(), 'explain_subscriptions'), 3);
});

test('[TE3] service name and resource attributes come from the standard environment', async (t) => {
  const plain = await telemetry(t).metricsText();
  assert.match(plain, /^target_info\{.*service_name="explainability-agent"/m);
  assert.match(plain, /^target_info\{.*service_version="1.2.3"/m);
  const named = await telemetry(t, {
    env: { OTEL_SERVICE_NAME: 'mine', OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,team=a%20b' },
  }).metricsText();
  assert.match(named, /^target_info\{.*service_name="mine"/m);
  assert.match(named, /^target_info\{.*team="a b"/m);
});

/** An OTLP/gRPC receiver that keeps the bytes of what it is sent. */
async function receiver(t: TestContext): Promise<{ readonly port: number; readonly received: Buffer[] }> {
  const received: Buffer[] = [];
  const server = new Server();
  const identity = (bytes: Buffer) => bytes;
  server.addService(
    {
      Export: {
        path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
        requestStream: false,
        responseStream: false,
        requestSerialize: identity,
        requestDeserialize: identity,
        responseSerialize: identity,
        responseDeserialize: identity,
      },
    },
    {
      Export: (call: { request: Buffer }, done: (error: null, answer: Buffer) => void) => {
        received.push(call.request);
        done(null, Buffer.alloc(0));
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    ),
  );
  t.after(() => server.forceShutdown());
  return { port, received };
}

function recordAll(own: OwnTelemetry): void {
  own.recordIngest({ batchSize: 512, latencyMs: 12.5, errors: true });
  own.recordPrune({ nodesPrunedCount: 7, edgesPrunedCount: 6, latencyMs: 3 });
  own.recordSnapshot({ fileSizeBytes: 1000, latencyMs: 20 });
}

test('[TE4] the spans of the service arrive at an OTLP receiver, with their attributes', async (t) => {
  const { port, received } = await receiver(t);
  const own = telemetry(t, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` } });
  assert.equal(await own.startExport({ host: '127.0.0.1', ports: [port + 1, port + 2] }), true);
  recordAll(own);
  await own.shutdown();
  const bytes = Buffer.concat(received).toString('latin1');
  const expected = [
    'explainability-agent',
    'explain.ingest batchSize ingestLatencyMs errors',
    'explain.prune nodesPrunedCount edgesPrunedCount pruneLatencyMs',
    'explain.persist_snapshot persistFileSizeBytes persistLatencyMs',
  ];
  for (const name of expected.join(' ').split(' ')) assert(bytes.includes(name), name);
});

/** An OTLP receiver over HTTP that keeps what it is sent, by path and type. */
async function httpReceiver(t: TestContext): Promise<{ readonly port: number; readonly received: string[] }> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(`${request.url} ${request.headers['content-type']}`);
    request.resume().on('end', () => response.end());
  });
  server.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, received };
}

test('[TE4] spans are exported by the protocol that the environment names', async (t) => {
  const { port, received } = await httpReceiver(t);
  const endpoint = `http://127.0.0.1:${port}`;
  for (const env of [
    { OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/`, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' },
    {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${endpoint}/own`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
    },
  ]) {
    const own = telemetry(t, { env });
    assert.equal(await own.startExport({ host: '127.0.0.1', ports: [1] }), true);
    recordAll(own);
    await own.shutdown();
  }
  assert.deepEqual(received, [
    '/v1/traces application/x-protobuf',
    '/v1/traces application/json',
    '/own application/x-protobuf',
  ]);
});

test('[TE4] a protocol that nobody speaks, or that the receiver does not, is one line of the log', async (t) => {
  const warnings: (readonly [object, string])[] = [];
  const logger: Logger = {
    ...silentLogger,
    warn: (fields, message) => void warnings.push([fields, message]),
  };
  const { port } = await httpReceiver(t);
  const to = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
  const unknown = telemetry(t, { logger, env: { ...to, OTEL_EXPORTER_OTLP_PROTOCOL: 'http' } });
  assert.equal(await unknown.startExport({ host: '127.0.0.1', ports: [1] }), false);
  assert.match(
    warnings[0]?.[1] ?? '',
    /names no protocol of OTLP; it may be grpc, http\/protobuf, http\/json$/,
  );
  const grpc = telemetry(t, { logger, env: to });
  assert.equal(await grpc.startExport({ host: '127.0.0.1', ports: [1] }), true);
  recordAll(grpc);
  await grpc.shutdown();
  assert.equal(warnings.length, 2);
  const [fields, message] = warnings[1] ?? [{}, ''];
  assert.match(message, /^own spans are not taken: does the OTLP endpoint .* speak this protocol/);
  assert.deepEqual(Object.keys(fields).sort(), ['code', 'name', 'protocol']);
});

test('[TE5] the service never exports to itself', async (t) => {
  const { port, received } = await receiver(t);
  const warnings: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (_, message) => void warnings.push(message) };
  const own = telemetry(t, { logger, env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://localhost:${port}` } });
  assert.equal(await own.startExport({ host: '127.0.0.1', ports: [port] }), false);
  recordAll(own);
  await own.shutdown();
  assert.deepEqual(received, []);
  assert.match(warnings.join(), /is this service/);
});

test('[TE4] without an endpoint nothing is exported', async (t) => {
  for (const env of [
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4317', OTEL_SDK_DISABLED: 'true' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4317', OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://not a url' },
  ])
    assert.equal(await telemetry(t, { env }).startExport({ host: '127.0.0.1', ports: [4317] }), false);
});

test('[TE6] a receiver that never answers does not hold up the end', { timeout: 30_000 }, async (t) => {
  const silent = createTcpServer((socket) => t.after(() => socket.destroy())).listen(0);
  t.after(() => silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const own = telemetry(t, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` } });
  assert.equal(await own.startExport({ host: '127.0.0.1', ports: [1] }), true);
  recordAll(own);
  await own.shutdown();
});
