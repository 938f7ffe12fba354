import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import type { Resource } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { Logger } from './logger.ts';

/** `ExportResultCode.SUCCESS`, of which the SDK's packages bring two copies. */
const SUCCEEDED = 0;

/** Sends its spans to `endpoint` by OTLP/gRPC. */
export function exportingProvider(
  endpoint: string,
  { resource, logger }: { readonly resource: Resource; readonly logger: Logger },
): BasicTracerProvider {
  const exporter = new ReportingExporter(new OTLPTraceExporter({ url: endpoint }), logger);
  // Bounded: 2,048 spans wait at most, then new ones are dropped (OTEL_BSP_MAX_QUEUE_SIZE).
  return new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
}

/** Says in the log when export begins to fail and when it works again: once each, not per batch. */
class ReportingExporter implements SpanExporter {
  private readonly inner: SpanExporter;
  private readonly logger: Logger;
  private failing = false;

  constructor(inner: SpanExporter, logger: Logger) {
    this.inner = inner;
    this.logger = logger;
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    this.inner.export(spans, (result) => {
      const failed = (result.code as number) !== SUCCEEDED;
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
