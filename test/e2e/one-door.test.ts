import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { credentials, Client, type ServiceError } from '@grpc/grpc-js';
import { OTLPLogExporter as GrpcLogs } from '@opentelemetry/exporter-logs-otlp-grpc';
import { OTLPLogExporter as JsonLogs } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtoLogs } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter as GrpcMetrics } from '@opentelemetry/exporter-metrics-otlp-grpc';
import { OTLPMetricExporter as JsonMetrics } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtoMetrics } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as GrpcTraces } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonTraces } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtoTraces } from '@opentelemetry/exporter-trace-otlp-proto';
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { protobufOf } from './otlp-senders.ts';
import { RealService } from './real-service.ts';

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';

async function started(t: TestContext, flags: readonly string[] = []): Promise<RealService> {
  const service = await RealService.of(t, ['--durability=memory', ...flags]);
  return service;
}

/** Exporters take their address from the environment when they are made. */
function exportersAt(url: string) {
  const before = process.env[ENDPOINT];
  process.env[ENDPOINT] = url;
  try {
    return {
      grpc: [new GrpcTraces(), new GrpcLogs(), new GrpcMetrics()],
      'http/protobuf': [new ProtoTraces(), new ProtoLogs(), new ProtoMetrics()],
      'http/json': [new JsonTraces(), new JsonLogs(), new JsonMetrics()],
    } as const;
  } finally {
    if (before === undefined) delete process.env[ENDPOINT];
    else process.env[ENDPOINT] = before;
  }
}

async function metric(service: RealService, name: string): Promise<number> {
  const text = await (await fetch(`${service.readers}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

test('[PO7] real exporters send all signals to the readers\u2019 port, by every protocol', async (t) => {
  const service = await started(t);
  for (const [protocol, [traces, logs, metrics]] of Object.entries(exportersAt(service.readers))) {
    const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(traces)] });
    tracer
      .getTracer('t')
      .startSpan(`by ${protocol}`, { attributes: { taskID: 'door', 'model.name': 'm' } })
      .end();
    await tracer.shutdown();
    const logger = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: logs })] });
    logger
      .getLogger('t')
      .emit({ attributes: { requestId: protocol, taskId: 'door' }, body: `I think ${protocol}` });
    await logger.shutdown();
    const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 60_000 });
    const meters = new MeterProvider({ readers: [reader] });
    meters.getMeter('t').createCounter('c').add(1);
    await meters.shutdown();
  }
  const answer = await fetch(`${service.readers}/api/graph?collapse=none&taskIds=door`);
  const { nodes } = (await answer.json()) as { readonly nodes: readonly { readonly name: string }[] };
  const names = nodes.map(({ name }) => name);
  for (const protocol of ['grpc', 'http/protobuf', 'http/json'])
    assert.ok(names.includes(`by ${protocol}`), protocol);
  assert.equal(names.filter((name) => name === 'chain of thought').length, 3);
  assert.ok((await metric(service, 'explain_records_accepted_total{signal="metric"')) >= 3);
});

const SPANS = { resourceSpans: [{ scopeSpans: [{ spans: [] }] }] };

function call(service: RealService, path: string, body: Buffer): Promise<number> {
  const client = new Client(service.readers.replace('http://', ''), credentials.createInsecure());
  const same = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, same, same, body, (error: ServiceError | null) => {
      client.close();
      resolve(error?.code ?? 0);
    });
  });
}

const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

test('[PO7] limits and tokens of OTLP hold at the readers\u2019 port, and those of readers for readers', async (t) => {
  const service = await started(t, ['--max-request-bytes=3000000']);
  const attribute = { key: 'k', value: { stringValue: 'x'.repeat(2_000_000) } };
  const large = protobufOf('traces', {
    resourceSpans: [{ resource: { attributes: [attribute] }, scopeSpans: [] }],
  });
  assert.equal(await call(service, EXPORT, large), 0);
  assert.equal(await call(service, EXPORT, Buffer.concat([large, large])), 8);
  assert.equal(await call(service, '/explain.v1.ExplainService/GetNode', Buffer.alloc(2_000_000)), 8);
  const post = async (headers: Record<string, string>): Promise<number> => {
    const request = { method: 'POST', body: JSON.stringify(SPANS), headers };
    return (await fetch(`${service.readers}/v1/traces`, request)).status;
  };
  assert.equal(await post({ 'content-type': 'application/json' }), 200);
  assert.equal(await post({ 'content-type': 'text/plain' }), 415);
  assert.equal((await fetch(`${service.readers}/v1/traces`)).status, 405);
});

test('[PO7] who asks at the wrong port is told the right one', async (t) => {
  const service = await started(t);
  const said = async (url: string): Promise<string> => {
    const answer = await fetch(url, { method: 'POST' });
    assert.equal(answer.status, 404);
    return answer.text();
  };
  assert.match(await said(`${service.readers}/v1/spans`), /OTLP POST \/v1\/traces/);
  const { otlpGrpc, otlpHttp, readers } = service.service.addresses;
  assert.match(await said(`${service.otlpHttp}/api/tasks`), new RegExp(`/api, .* at port ${readers.port}`));
  const atGrpc = await fetch(`http://127.0.0.1:${otlpGrpc.port}/v1/traces`, { method: 'POST' });
  assert.equal(atGrpc.status, 400);
  assert.match(await atGrpc.text(), new RegExp(`OTLP/HTTP is at port ${otlpHttp.port}, .* ${readers.port}`));
});
