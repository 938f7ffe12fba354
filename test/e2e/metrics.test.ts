import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpanKind } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { ExplanationNode } from '../../src/model/node.ts';
import type { NodeMetric } from '../../src/model/metric-facts.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import { until } from '../support/until.ts';

const TRACE = 'c'.repeat(32);

type Metrics = { readonly [label: string]: NodeMetric };

async function metricsOf(service: RealService, name: string): Promise<Metrics> {
  const find = async (): Promise<ExplanationNode | undefined> =>
    (await service.graph()).nodes.find((node) => node.name === name);
  await until(`${name} has metrics`, async () => (await find())?.details?.['metrics'] !== undefined);
  return (await find())?.details?.['metrics'] as Metrics;
}

async function post(service: RealService, signal: string, body: object): Promise<void> {
  const response = await fetch(`${service.otlpHttp}/v1/${signal}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.deepEqual([response.status, await response.text()], [200, '{}']);
}

test('[ME15] an agent with the SDK, its spans and its metrics: the call shows the CPU while it ran, and no tokens of calls before it', async (t) => {
  const service = await RealService.of(t);
  const resource = resourceFromAttributes({ 'service.name': 'agent', 'service.instance.id': 'i1' });
  const tracing = new BasicTracerProvider({
    resource,
    spanProcessors: [
      new SimpleSpanProcessor(new OTLPTraceExporter({ url: `${service.otlpHttp}/v1/traces` })),
    ],
  });
  const exporter = new OTLPMetricExporter({ url: `${service.otlpHttp}/v1/metrics` });
  const metering = new MeterProvider({
    resource,
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
  });
  const meter = metering.getMeter('meter');
  const tokens = meter.createHistogram('gen_ai.client.token.usage', { unit: '{token}' });
  const cpu = meter.createGauge('process.cpu.utilization', { unit: '1' });

  const tracer = tracing.getTracer('agent');
  const base = Date.now();
  const call = tracer.startSpan('chat', {
    kind: SpanKind.CLIENT,
    startTime: base - 1000,
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'llama-3' },
  });
  tokens.record(100, { 'gen_ai.token.type': 'input' });
  cpu.record(0.75);
  await metering.forceFlush();
  call.end(base + 60_000);
  await tracing.forceFlush();

  const shown = await metricsOf(service, 'chat');
  assert.deepEqual(Object.keys(shown), ['process.cpu.utilization']);
  assert.deepEqual(
    [shown['process.cpu.utilization']?.last, shown['process.cpu.utilization']?.by],
    [0.75, 'resource and time'],
  );
  await metering.shutdown();
  await tracing.shutdown();
  assert.match(await service.metrics(), /explain_records_accepted_total\{signal="metric"\} [1-9]/);
});

test('[ME15] a measurement that names a span is shown in it after a restart too, and changes none of its own figures', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await RealService.start({ dataDir });
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'agent' } }] };
  const now = `${Date.now()}000000`;
  await post(service, 'metrics', {
    resourceMetrics: [
      {
        resource,
        scopeMetrics: [
          {
            metrics: [
              {
                name: 'gen_ai.client.token.usage',
                unit: '{token}',
                histogram: {
                  aggregationTemporality: 2,
                  dataPoints: [
                    {
                      timeUnixNano: now,
                      count: '9',
                      sum: 999,
                      attributes: [{ key: 'gen_ai.token.type', value: { stringValue: 'input' } }],
                      exemplars: [
                        { timeUnixNano: now, asInt: '120', traceId: TRACE, spanId: 'd'.repeat(16) },
                      ],
                    },
                  ],
                },
              },
            ],
          },
        ],
      },
    ],
  });
  const attributes = [
    { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
    { key: 'gen_ai.usage.input_tokens', value: { intValue: '7' } },
  ];
  const span = { traceId: TRACE, spanId: 'd'.repeat(16), name: 'chat', attributes };
  const spans = [{ ...span, startTimeUnixNano: now, endTimeUnixNano: now }];
  await post(service, 'traces', { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });

  const label = 'gen_ai.client.token.usage{gen_ai.token.type=input}';
  const wanted = {
    last: 120,
    min: 120,
    max: 120,
    avg: 120,
    points: 1,
    sum: 120,
    unit: '{token}',
    by: 'exemplar',
  };
  assert.deepEqual(await metricsOf(service, 'chat'), { [label]: wanted });
  const [node] = (await service.graph()).nodes;
  assert.equal(node?.tokensIn, 7);
  await service.stop();

  const again = await RealService.start({ dataDir });
  t.after(() => again.stop());
  assert.deepEqual(await metricsOf(again, 'chat'), { [label]: wanted });
});

test('[ME11] a clean stop keeps what was joined to a step that still runs', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await RealService.start({ dataDir });
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'agent' } }] };
  const start = Date.now();
  const spans = [
    { traceId: TRACE, spanId: 'e'.repeat(16), name: 'long', startTimeUnixNano: `${start}000000` },
  ];
  await post(service, 'traces', { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
  const point = { timeUnixNano: `${start + 5}000000`, asDouble: 0.5 };
  const metric = { name: 'process.cpu.utilization', unit: '1', gauge: { dataPoints: [point] } };
  await post(service, 'metrics', { resourceMetrics: [{ resource, scopeMetrics: [{ metrics: [metric] }] }] });
  const before = await metricsOf(service, 'long');
  assert.equal(before['process.cpu.utilization']?.last, 0.5);
  await service.stop();

  const again = await RealService.start({ dataDir });
  t.after(() => again.stop());
  const [node] = (await again.graph()).nodes;
  assert.equal(node?.state, 'RUNNING');
  assert.deepEqual(await metricsOf(again, 'long'), before);
});
