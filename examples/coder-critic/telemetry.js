import { trace } from '@opentelemetry/api';
import { logs } from '@opentelemetry/api-logs';
import { NodeSDK } from '@opentelemetry/sdk-node';

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
 * Starts the OpenTelemetry SDK. Everything about the exporters comes from the usual `OTEL_*` variables; only
 * the waits before a batch leaves are short here, so that the graph can be watched while the agents work.
 *
 * @returns {NodeSDK} shut it down at the end: what it still holds is sent then
 */
export function startTelemetry() {
  process.env['OTEL_BSP_SCHEDULE_DELAY'] ??= '50';
  process.env['OTEL_BLRP_SCHEDULE_DELAY'] ??= '50';
  process.env['OTEL_METRICS_EXPORTER'] ??= 'none';
  process.env['OTEL_LOGS_EXPORTER'] ??= 'otlp';
  const sdk = new NodeSDK({ serviceName: SCOPE });
  sdk.start();
  return sdk;
}
