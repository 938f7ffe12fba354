import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createAccess } from '../../src/access/access.ts';
import { unlimited } from '../../src/access/limits.ts';
import { systemClock } from '../../src/base/clock.ts';
import { Pace } from '../../src/base/pace.ts';
import type { AttributeValue } from '../../src/model/attributes.ts';
import type { RecordBatch } from '../../src/model/pipeline.ts';
import type { SpanRecord } from '../../src/model/records.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../../src/receivers/config.ts';
import { InflightBytes } from '../../src/transport/inflight-bytes.ts';
import { OtlpGrpcReceiver } from '../../src/receivers/otlp-grpc/otlp-grpc-receiver.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { noMetrics } from '../../src/telemetry/own-metrics.ts';
import { createHostOriginCheck } from '../../src/transport/host-origin-check.ts';
import { span } from '../reader-contract/records.ts';
import { RealService, temporaryFolder } from './real-service.ts';

/** A second OTLP receiver that remembers the spans it is sent. */
async function startCollector(
  t: TestContext,
): Promise<{ readonly url: string; readonly spans: SpanRecord[] }> {
  const spans: SpanRecord[] = [];
  const receiver = new OtlpGrpcReceiver({
    host: '127.0.0.1',
    port: 0,
    ports: () => ({ otlpGrpc: 0, otlpHttp: 0, readers: 0 }),
    maxConnections: 100,
    limits: DEFAULT_RECEIVER_LIMITS,
    access: createAccess('none'),
    perKey: unlimited(),
    consumerOf: () => ({
      consume: async ({ records }: RecordBatch) => void spans.push(...(records as readonly SpanRecord[])),
    }),
    metrics: noMetrics,
    logger: silentLogger,
    inflight: new InflightBytes(160 * 1024 * 1024),
    clock: systemClock,
    pace: new Pace(systemClock),
    hostOriginCheck: createHostOriginCheck({ host: '127.0.0.1' }),
  });
  const { host, port } = await receiver.start();
  t.after(() => receiver.stop());
  return { url: `http://${host}:${port}`, spans };
}

/** Five quick good steps below a failed one: they are folded. */
async function feedRoutine(service: RealService): Promise<void> {
  const steps = [2, 3, 4, 5, 6].map((n) => ({ span: n, parent: n === 2 ? 1 : 2, latencyMs: 30 }));
  const sketches = [{ span: 1, status: 'ERROR' as const }, ...steps];
  await service.feed(sketches.map((sketch) => span({ trace: 1, name: `step ${sketch.span}`, ...sketch })));
  await service.flush();
}

/** Folding is done for those who look. */
async function watch(service: RealService): Promise<void> {
  const socket = new WebSocket(`${service.readers.replace('http', 'ws')}/explain`);
  socket.addEventListener('open', () => socket.send('{"type":"subscribe","request":{}}'));
  await new Promise((resolve) => socket.addEventListener('message', resolve, { once: true }));
}

async function start(t: TestContext, env: { readonly [name: string]: string }): Promise<RealService> {
  const service = await RealService.start({ dataDir: await temporaryFolder(t), env });
  t.after(() => service.stop());
  return service;
}

test('[E2E8] with an endpoint in the environment its own spans arrive there, with the attributes they should have', async (t) => {
  const collector = await startCollector(t);
  const service = await start(t, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await watch(service);
  await feedRoutine(service);
  await service.stop();

  type Numbers = { readonly [key: string]: AttributeValue };
  const allOf = (name: string): readonly [Numbers, ...Numbers[]] => {
    const [first, ...others] = collector.spans.filter((record) => record.name === name);
    assert.ok(
      first,
      `${name} arrived; there came ${collector.spans.map((record) => record.name).join(', ')}`,
    );
    assert.equal(first.resource.attributes.get('service.name'), 'explainability-agent');
    return [Object.fromEntries(first.attributes), ...others.map((own) => Object.fromEntries(own.attributes))];
  };
  const isTime = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value < 60_000;

  // A busy machine may take the six in more than one batch, and fold in between.
  const ingests = allOf('explain.ingest');
  for (const ingest of ingests) {
    assert.deepEqual(Object.keys(ingest).sort(), ['batchSize', 'errors', 'ingestLatencyMs']);
    assert.equal(ingest['errors'], false);
    assert.ok(isTime(ingest['ingestLatencyMs']));
  }
  assert.equal(
    ingests.reduce((sum, ingest) => sum + Number(ingest['batchSize']), 0),
    6,
  );

  const prunes = allOf('explain.prune');
  for (const prune of prunes) {
    assert.deepEqual(Object.keys(prune).sort(), ['edgesPrunedCount', 'nodesPrunedCount', 'pruneLatencyMs']);
    assert.ok(isTime(prune['pruneLatencyMs']));
  }
  assert.equal(prunes.at(-1)?.['nodesPrunedCount'], 5);

  const snapshot = allOf('explain.persist_snapshot').at(-1) ?? {};
  assert.deepEqual(Object.keys(snapshot).sort(), ['persistFileSizeBytes', 'persistLatencyMs']);
  assert.ok(Number(snapshot['persistFileSizeBytes']) > 100);
  assert.ok(isTime(snapshot['persistLatencyMs']));
});

test('[E2E9] without an endpoint nothing is sent, and to itself nothing either, which the log says', async (t) => {
  const collector = await startCollector(t);
  const quiet = await start(t, {});
  await feedRoutine(quiet);
  await quiet.stop();
  assert.deepEqual(collector.spans, []);

  // Its port has to be known beforehand: that of a service which has just stopped is free.
  const { port } = quiet.service.addresses.otlpGrpc;
  const service = await RealService.start({
    dataDir: await temporaryFolder(t),
    flags: ['--otlp-grpc-port', String(port)],
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://localhost:${port}` },
  });
  t.after(() => service.stop());
  await feedRoutine(service);
  await service.stop();
  assert.match(
    service.log,
    /"level":"warn".*own spans are not exported: the OTLP endpoint.* is this service/,
  );
  assert.doesNotMatch(service.log, /own spans are exported|export of own spans/);
});

/** Spec section 7, in Prometheus' spelling. */
const METRICS = [
  /^explain_node_created_total(?:\{.*\})? (\d+)$/m,
  /^explain_edge_created_total(?:\{.*\})? (\d+)$/m,
  /^explain_pii_redactions_total\{.*rule="spec\.email".*\} (\d+)$/m,
  /^explain_nodes_in_memory(?:\{.*\})? (\d+)$/m,
  /^explain_graph_update_latency_count(?:\{.*\})? (\d+)$/m,
];

test('[E2E10] every metric is there from the first scrape on, and counts', async (t) => {
  const service = await start(t, {});
  const read = (text: string) => METRICS.map((metric) => metric.exec(text)?.[1]);
  assert.deepEqual(read(await service.metrics()), ['0', '0', '0', '0', '0']);
  await service.feed([
    span({ trace: 1, span: 1, name: 'ask jane.doe@mail-example.net', status: 'ERROR' }),
    span({ trace: 1, span: 2, parent: 1, name: 'answer' }),
  ]);
  await service.flush();
  const text = await service.metrics();
  assert.deepEqual(read(text), ['2', '1', '1', '2', '1']);
  assert.match(text, /^explain_graph_update_latency_bucket\{.*le="50".*\} \d+$/m);
});
