// A plain agent, set up as a user does it. What it does it is told line by line on standard input:
// `start NAME`, `end NAME`; at the end of the input it shuts its telemetry down.
import { createInterface } from 'node:readline';
import { trace } from '@opentelemetry/api';
import { logs } from '@opentelemetry/api-logs';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { OpenSpanProcessor } from '../../src/otel/open-span-processor.ts';

const loggers = new LoggerProvider({
  processors: [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter() })],
});
logs.setGlobalLoggerProvider(loggers);
const tracers = new BasicTracerProvider({
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter()), new OpenSpanProcessor()],
});
trace.setGlobalTracerProvider(tracers);

const tracer = trace.getTracer('agent');
const spans = new Map();
console.log('up');
for await (const line of createInterface({ input: process.stdin })) {
  const [verb, name] = line.split(' ');
  if (verb === 'start') {
    const span = tracer.startSpan(name, {
      attributes: { 'model.name': 'gpt-5', 'gen_ai.agent.name': 'CoderAgent', taskID: 'T1' },
    });
    spans.set(name, span);
    const { traceId, spanId } = span.spanContext();
    console.log(`started ${name} ${traceId} ${spanId}`);
  } else if (verb === 'end') {
    spans.get(name).end();
  }
}
await tracers.shutdown();
await loggers.shutdown();
