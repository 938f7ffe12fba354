import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { OTLPLogExporter as GrpcLogs } from '@opentelemetry/exporter-logs-otlp-grpc';
import { OTLPLogExporter as JsonLogs } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtoLogs } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter as GrpcTraces } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonTraces } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtoTraces } from '@opentelemetry/exporter-trace-otlp-proto';
import { LoggerProvider, SimpleLogRecordProcessor, type LogRecordExporter } from '@opentelemetry/sdk-logs';
import { BasicTracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { BoundaryError } from '../base/boundary-error.ts';
import type { CotRecord, EventRecord, SpanRecord } from '../model/records.ts';
import { OtlpGrpcReceiver } from './otlp-grpc/otlp-grpc-receiver.ts';
import { OtlpHttpReceiver } from './otlp-http/otlp-http-receiver.ts';
import { eventually, setup, type TestSetup } from './otlp-server.test-support.ts';

const GZIP = 'gzip' as never;

interface Ports {
  readonly grpc: string;
  readonly http: string;
}

async function withServers(made: TestSetup, run: (ports: Ports) => Promise<void>): Promise<void> {
  const grpc = new OtlpGrpcReceiver(made.options);
  const http = new OtlpHttpReceiver(made.options);
  const [a, b] = await Promise.all([grpc.start(), http.start()]);
  try {
    await run({ grpc: `http://127.0.0.1:${a.port}`, http: `http://127.0.0.1:${b.port}` });
  } finally {
    await Promise.all([grpc.stop(), http.stop()]);
  }
}

const TRACE_EXPORTERS: readonly (readonly [string, (ports: Ports, gzip: boolean) => SpanExporter])[] = [
  ['gRPC', ({ grpc }, gzip) => new GrpcTraces({ url: grpc, ...(gzip ? { compression: GZIP } : {}) })],
  [
    'HTTP/protobuf',
    ({ http }, gzip) => new ProtoTraces({ url: `${http}/v1/traces`, ...(gzip ? { compression: GZIP } : {}) }),
  ],
  [
    'HTTP/JSON',
    ({ http }, gzip) => new JsonTraces({ url: `${http}/v1/traces`, ...(gzip ? { compression: GZIP } : {}) }),
  ],
];
const LOG_EXPORTERS: readonly (readonly [string, (ports: Ports) => LogRecordExporter])[] = [
  ['gRPC', ({ grpc }) => new GrpcLogs({ url: grpc })],
  ['HTTP/protobuf', ({ http }) => new ProtoLogs({ url: `${http}/v1/logs` })],
  ['HTTP/JSON', ({ http }) => new JsonLogs({ url: `${http}/v1/logs` })],
];

async function sendSpans(exporter: SpanExporter): Promise<void> {
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const span = provider.getTracer('agent', '1.2').startSpan('chat', {
    kind: SpanKind.CLIENT,
    startTime: [1_750_000_000, 123_456_789],
    attributes: {
      'model.name': 'm',
      'tokens.input': 12,
      ratio: 0.5,
      ok: true,
      list: ['a', 'b'],
      big: 2 ** 60,
    },
  });
  span.addEvent('choice', { index: 1 });
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'failed' });
  span.end([1_750_000_001, 0]);
  await provider.forceFlush();
  await provider.shutdown();
}

for (const [name, make] of TRACE_EXPORTERS) {
  for (const gzip of [false, true]) {
    test(`[IN21] the official ${name} trace exporter is understood${gzip ? ', gzip' : ''}`, async () => {
      const made = setup();
      await withServers(made, (ports) => sendSpans(make(ports, gzip)));
      const record = made.consumer.records[0] as SpanRecord;
      assert.equal(made.consumer.records.length, 1);
      assert.deepEqual(
        [
          record.name,
          record.status,
          record.statusMessage,
          record.parentSpanId,
          record.scope.name,
          record.scope.version,
        ],
        ['chat', 'ERROR', 'failed', undefined, 'agent', '1.2'],
      );
      assert.equal(record.durationMs, 876.543211);
      assert.match(record.traceId, /^[0-9a-f]{32}$/);
      assert.deepEqual(record.attributes.get('list'), ['a', 'b']);
      assert.equal(record.attributes.get('tokens.input'), 12);
      assert.deepEqual([record.events[0]?.name, record.events[0]?.attributes.get('index')], ['choice', 1]);
      assert.ok(record.resource.attributes.has('telemetry.sdk.name'));
    });
  }
}

for (const [name, make] of LOG_EXPORTERS) {
  test(`[IN21] the official ${name} log exporter is understood: thoughts and Reflexion events`, async () => {
    const made = setup();
    await withServers(made, async (ports) => {
      const provider = new LoggerProvider({
        processors: [new SimpleLogRecordProcessor({ exporter: make(ports) })],
      });
      const logger = provider.getLogger('agent');
      logger.emit({ body: 'Let me think', attributes: { requestId: 'r', final: true } });
      logger.emit({
        eventName: 'reflexion.ModelSwitched',
        attributes: { component: 'ReflexionAdapter', taskId: 'T' },
      });
      await provider.forceFlush();
      await provider.shutdown();
    });
    const { records } = made.consumer;
    const cot = records.find((record): record is CotRecord => record.kind === 'cot');
    const event = records.find((record): record is EventRecord => record.kind === 'event');
    assert.equal(records.length, 2);
    assert.deepEqual([cot?.requestId, cot?.tokens, cot?.final], ['r', ['Let me think'], true]);
    assert.deepEqual(
      [event?.eventType, event?.component, event?.payload],
      ['ModelSwitched', 'ReflexionAdapter', { taskId: 'T' }],
    );
  });
}

// The gRPC exporter of the JavaScript SDK never sends again by itself, whatever it is answered.
for (const [name, make] of TRACE_EXPORTERS.filter(([name]) => name !== 'gRPC')) {
  test(`[IN14] the official ${name} exporter sends again what a full service refused`, async () => {
    const made = setup();
    made.consumer.refusal = new BoundaryError('RESOURCE_EXHAUSTED', 'full', { retryAfterMs: 100 });
    await withServers(made, async (ports) => {
      const sending = sendSpans(make(ports, false));
      await eventually(() => made.counts.rejected.size > 0);
      made.consumer.refusal = undefined;
      await sending;
    });
    assert.ok((made.counts.rejected.get('span/resource_exhausted') ?? 0) >= 1);
    assert.equal(made.consumer.records.length, 1);
  });
}
