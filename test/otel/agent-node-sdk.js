// The same agent with NodeSDK, where the open spans are one item of one line; see agent.js for what it reads.
import { createInterface } from 'node:readline';
import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { OpenSpanProcessor } from '../../src/otel/open-span-processor.ts';

const sdk = new NodeSDK({
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter()), new OpenSpanProcessor()],
});
sdk.start();

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
await sdk.shutdown();
