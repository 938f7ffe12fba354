import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OTLPMetricExporter as GrpcMetrics } from '@opentelemetry/exporter-metrics-otlp-grpc';
import {
  AggregationTemporalityPreference,
  OTLPMetricExporter as JsonMetrics,
} from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtoMetrics } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationType,
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import type { MetricRecord } from '../model/records.ts';
import { OtlpGrpcReceiver } from './otlp-grpc/otlp-grpc-receiver.ts';
import { OtlpHttpReceiver } from './otlp-http/otlp-http-receiver.ts';
import { setup, type TestSetup } from './otlp-server.test-support.ts';

interface Ports {
  readonly grpc: string;
  readonly http: string;
}

const EXPORTERS: readonly (readonly [string, (ports: Ports, delta: boolean) => PushMetricExporter])[] = [
  ['gRPC', ({ grpc }, delta) => new GrpcMetrics({ url: grpc, temporalityPreference: preference(delta) })],
  [
    'HTTP/protobuf',
    ({ http }, delta) =>
      new ProtoMetrics({ url: `${http}/v1/metrics`, temporalityPreference: preference(delta) }),
  ],
  [
    'HTTP/JSON',
    ({ http }, delta) =>
      new JsonMetrics({ url: `${http}/v1/metrics`, temporalityPreference: preference(delta) }),
  ],
];

function preference(delta: boolean): AggregationTemporalityPreference {
  return delta ? AggregationTemporalityPreference.DELTA : AggregationTemporalityPreference.CUMULATIVE;
}

async function exported(made: TestSetup, run: (ports: Ports) => Promise<void>): Promise<MetricRecord[]> {
  const grpc = new OtlpGrpcReceiver(made.options);
  const http = new OtlpHttpReceiver(made.options);
  const [a, b] = await Promise.all([grpc.start(), http.start()]);
  try {
    await run({ grpc: `http://127.0.0.1:${a.port}`, http: `http://127.0.0.1:${b.port}` });
  } finally {
    await Promise.all([grpc.stop(), http.stop()]);
  }
  return made.consumer.records.filter((record): record is MetricRecord => record.kind === 'metric');
}

/** One collection of every kind of instrument, sent twice. */
async function measure(exporter: PushMetricExporter): Promise<void> {
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({
    resource: resourceFromAttributes({ 'service.name': 'agent', 'service.instance.id': 'i1' }),
    readers: [reader],
    views: [
      {
        instrumentName: 'gen_ai.client.operation.duration',
        aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM },
      },
    ],
  });
  const meter = provider.getMeter('meter', '1.2');
  meter.createGauge('process.cpu.utilization', { unit: '1' }).record(0.25);
  meter.createUpDownCounter('agent.queue.depth', { unit: '{task}' }).add(-3);
  const tokens = meter.createHistogram('gen_ai.client.token.usage', { unit: '{token}' });
  tokens.record(120, { 'gen_ai.token.type': 'input' });
  tokens.record(30, { 'gen_ai.token.type': 'input' });
  meter.createHistogram('gen_ai.client.operation.duration', { unit: 's' }).record(1.5);
  const counter = meter.createCounter('process.cpu.time', { unit: 's' });
  counter.add(2);
  await provider.forceFlush();
  counter.add(3);
  await provider.forceFlush();
  await provider.shutdown();
}

for (const [name, make] of EXPORTERS) {
  for (const delta of [false, true]) {
    test(`[ME1] the official ${name} metric exporter is understood, ${delta ? 'delta' : 'cumulative'}`, async () => {
      const made = setup();
      const records = await exported(made, (ports) => measure(make(ports, delta)));
      const of = (metric: string): MetricRecord[] => records.filter((record) => record.name === metric);
      const [cpu] = of('process.cpu.utilization');
      assert.deepEqual(
        [cpu?.instrument, cpu?.value, cpu?.unit, cpu?.temporality],
        ['gauge', 0.25, '1', undefined],
      );
      assert.equal(cpu?.resource.attributes.get('service.instance.id'), 'i1');
      assert.deepEqual([cpu.scope.name, cpu.scope.version], ['meter', '1.2']);
      assert.ok(Math.abs(cpu.time - Date.now()) < 60_000);

      const [tokens] = of('gen_ai.client.token.usage');
      assert.deepEqual(tokens?.value, { count: 2, sum: 150, min: 30, max: 120 });
      assert.equal(tokens?.attributes.get('gen_ai.token.type'), 'input');
      const [duration] = of('gen_ai.client.operation.duration');
      assert.equal(duration?.instrument, 'exponentialHistogram');
      assert.deepEqual(duration?.value, { count: 1, sum: 1.5, min: 1.5, max: 1.5 });

      const [depth] = of('agent.queue.depth');
      // An up-down counter stays cumulative whatever is preferred.
      assert.deepEqual([depth?.value, depth?.monotonic, depth?.temporality], [-3, false, 'cumulative']);
      const temporality = delta ? 'delta' : 'cumulative';
      assert.deepEqual(
        of('process.cpu.time')
          .map((point) => [point.value, point.monotonic, point.temporality])
          .slice(0, 2),
        [
          [2, true, temporality],
          [delta ? 3 : 5, true, temporality],
        ],
      );
      assert.deepEqual([made.counts.accepted.get('metric'), made.counts.rejected.size], [records.length, 0]);
    });
  }
}
