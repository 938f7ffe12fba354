import type { Resource } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { Logger } from './logger.ts';
import { safeError } from './safe-error.ts';
import type { OtlpProtocol, SpanTarget } from './span-target.ts';

/** `ExportResultCode.SUCCESS`, of which the SDK's packages bring two copies. */
const SUCCEEDED = 0;

/** Each is loaded where it is used alone. */
const EXPORTERS: Readonly<Record<OtlpProtocol, () => Promise<new (to: { url: string }) => SpanExporter>>> = {
  grpc: async () => (await import('@opentelemetry/exporter-trace-otlp-grpc')).OTLPTraceExporter,
  'http/protobuf': async () => (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter,
  'http/json': async () => (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter,
};

/** Sends its spans to `url`. */
export async function exportingProvider(
  { url, protocol }: SpanTarget,
  { resource, logger }: { readonly resource: Resource; readonly logger: Logger },
): Promise<BasicTracerProvider> {
  const Exporter = await EXPORTERS[protocol]();
  const exporter = new ReportingExporter(new Exporter({ url }), protocol, logger);
  // Bounded: 2,048 spans wait at most, then new ones are dropped (OTEL_BSP_MAX_QUEUE_SIZE).
  return new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
}

/** Says in the log when export begins to fail and when it works again: once each, not per batch. */
class ReportingExporter implements SpanExporter {
  private readonly inner: SpanExporter;
  private readonly protocol: OtlpProtocol;
  private readonly logger: Logger;
  private failing = false;

  constructor(inner: SpanExporter, protocol: OtlpProtocol, logger: Logger) {
    this.inner = inner;
    this.protocol = protocol;
    this.logger = logger;
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    this.inner.export(spans, (result) => {
      const failed = (result.code as number) !== SUCCEEDED;
      if (failed && !this.failing) {
        const { name, code } = safeError(result.error);
        const protocol = this.protocol;
        this.logger.warn(
          { name, code, protocol },
          'own spans are not taken: does the OTLP endpoint of the environment speak this protocol (OTEL_EXPORTER_OTLP_PROTOCOL)?',
        );
      }
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
