import { trace } from '@opentelemetry/api';
import { logs } from '@opentelemetry/api-logs';
import { NodeSDK, tracing } from '@opentelemetry/sdk-node';

/** Names the instrumentation in every span and log record. */
const SCOPE = 'coder-critic';

export const tracer = trace.getTracer(SCOPE);

/**
 * Emits a log record. The logger is asked for each time: one that is taken before the SDK has started stays silent where
 * the SDK brought its own copy of the logs API.
 *
 * @param {import('@opentelemetry/api-logs').LogRecord} record
 */
export function emitLog(record) {
  logs.getLogger(SCOPE).emit(record);
}

/**
 * Starts the OpenTelemetry SDK. Where telemetry goes comes from the usual `OTEL_*` variables; only the waits before a
 * batch leaves are short here, so that the graph can be watched while the agents work. The open span processor makes
 * steps known when they begin.
 *
 * @returns {Promise<NodeSDK>} shut it down at the end: what it still holds is sent then
 */
export async function startTelemetry() {
  process.env['OTEL_BSP_SCHEDULE_DELAY'] ??= '50';
  process.env['OTEL_BLRP_SCHEDULE_DELAY'] ??= '50';
  process.env['OTEL_METRICS_EXPORTER'] ??= 'none';
  process.env['OTEL_LOGS_EXPORTER'] ??= 'otlp';
  const spanProcessors = [
    new tracing.BatchSpanProcessor(new (await exporterClass())()),
    // With the short delay of the log processor nothing has to be flushed.
    new (await openSpanProcessorClass())({ flushAfterMs: false }),
  ];
  const sdk = new NodeSDK({ serviceName: SCOPE, spanProcessors });
  sdk.start();
  return sdk;
}

/** Of the exporters that come with the SDK the one for `OTEL_EXPORTER_OTLP_PROTOCOL`. */
async function exporterClass() {
  const { OTLPTraceExporter } =
    process.env['OTEL_EXPORTER_OTLP_PROTOCOL'] === 'grpc'
      ? await import('@opentelemetry/exporter-trace-otlp-grpc')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return OTLPTraceExporter;
}

/** In an application it is one line: `import { OpenSpanProcessor } from 'explainability-agent/otel'`. */
async function openSpanProcessorClass() {
  // A clone has sources and no build, the package a build and no sources.
  const { OpenSpanProcessor } = import.meta.url.includes('/node_modules/')
    ? await import('explainability-agent/otel')
    : await import('../../src/otel/open-span-processor.ts');
  return OpenSpanProcessor;
}
