import { type Attributes, ROOT_CONTEXT, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { core, type resources, tracing } from '@opentelemetry/sdk-node';
import type { Logger } from './logger.ts';
import { isOwnEndpoint, type Lookup, type OwnListeners } from './own-endpoint.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface OwnSpansOptions {
  readonly env: Environment;
  readonly logger: Logger;
  readonly resource: resources.Resource;
  readonly lookup?: Lookup;
}

/** The service's own spans. Nothing is made before `start` has found somewhere to send them. */
export class OwnSpans {
  private readonly options: OwnSpansOptions;
  private provider: tracing.BasicTracerProvider | undefined;
  private tracer: Tracer | undefined;

  constructor(options: OwnSpansOptions) {
    this.options = options;
  }

  /**
   * Begins to export by OTLP/gRPC when the standard environment names an endpoint that is not one of our own
   * listeners. Headers, timeout, compression and certificates are read by the exporter from the process's
   * `OTEL_EXPORTER_OTLP_*`.
   * @returns whether spans are exported
   */
  async start(own: OwnListeners): Promise<boolean> {
    const endpoint = exportEndpoint(this.options.env);
    if (endpoint === undefined || !(await this.mayExportTo(endpoint, own))) return false;
    const exporter = new ReportingExporter(new OTLPTraceExporter({ url: endpoint }), this.options.logger);
    this.provider = new tracing.BasicTracerProvider({
      resource: this.options.resource,
      // Bounded: 2,048 spans wait at most, then new ones are dropped (OTEL_BSP_MAX_QUEUE_SIZE).
      spanProcessors: [new tracing.BatchSpanProcessor(exporter)],
    });
    this.tracer = this.provider.getTracer('explainability-agent');
    this.options.logger.info({}, 'own spans are exported by OTLP/gRPC');
    return true;
  }

  /** A span that ends now and took so long (milliseconds). */
  record(name: string, latencyMs: number, attributes: Attributes, failed = false): void {
    if (!this.tracer) return;
    const end = Date.now();
    const span = this.tracer.startSpan(name, { startTime: end - latencyMs, attributes }, ROOT_CONTEXT);
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(end);
  }

  /** Sends what waits. */
  async shutdown(): Promise<void> {
    this.tracer = undefined;
    await this.provider?.shutdown();
  }

  private async mayExportTo(endpoint: string, own: OwnListeners): Promise<boolean> {
    const { logger, lookup, env } = this.options;
    try {
      if (await isOwnEndpoint(endpoint, own, lookup)) {
        logger.warn({}, 'own spans are not exported: the OTLP endpoint of the environment is this service');
        return false;
      }
    } catch {
      logger.warn({}, 'own spans are not exported: the OTLP endpoint of the environment is not a URL');
      return false;
    }
    const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL'];
    if (protocol && protocol !== 'grpc')
      logger.warn({}, 'own spans are exported by OTLP/gRPC, whatever OTEL_EXPORTER_OTLP_PROTOCOL says');
    return true;
  }
}

/** By the OpenTelemetry specification an empty variable counts as not set. */
function exportEndpoint(env: Environment): string | undefined {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return undefined;
  if (env['OTEL_TRACES_EXPORTER']?.trim() === 'none') return undefined;
  const named =
    env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']?.trim() || env['OTEL_EXPORTER_OTLP_ENDPOINT']?.trim();
  return named || undefined;
}

/** Says in the log when export begins to fail and when it works again: once each, not per batch. */
class ReportingExporter implements tracing.SpanExporter {
  private readonly inner: tracing.SpanExporter;
  private readonly logger: Logger;
  private failing = false;

  constructor(inner: tracing.SpanExporter, logger: Logger) {
    this.inner = inner;
    this.logger = logger;
  }

  export(spans: tracing.ReadableSpan[], done: (result: core.ExportResult) => void): void {
    this.inner.export(spans, (result) => {
      const failed = result.code !== core.ExportResultCode.SUCCESS;
      if (failed && !this.failing) this.logger.warn({ err: result.error }, 'export of own spans fails');
      if (!failed && this.failing) this.logger.info({}, 'export of own spans works again');
      this.failing = failed;
      done(result);
    });
  }

  async forceFlush(): Promise<void> {
    await this.inner.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.inner.shutdown();
  }
}
