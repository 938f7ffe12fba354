import { type Attributes, ROOT_CONTEXT, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import type { Logger } from './logger.ts';
import { isOwnEndpoint, type Lookup, type OwnListeners } from './own-endpoint.ts';
import { spanTarget, type Environment } from './span-target.ts';

export interface OwnSpansOptions {
  readonly env: Environment;
  readonly logger: Logger;
  readonly resource: Resource;
  readonly lookup?: Lookup;
}

/** The service's own spans. Nothing is made before `start` has found somewhere to send them. */
export class OwnSpans {
  private readonly options: OwnSpansOptions;
  private provider: BasicTracerProvider | undefined;
  private tracer: Tracer | undefined;

  constructor(options: OwnSpansOptions) {
    this.options = options;
  }

  /**
   * Begins to export by OTLP when the standard environment names an endpoint that is not one of our own
   * listeners. Headers, timeout, compression and certificates are read by the exporter from the process's
   * `OTEL_EXPORTER_OTLP_*`.
   * @returns whether spans are exported
   */
  async start(own: OwnListeners): Promise<boolean> {
    const { env, logger } = this.options;
    const target = spanTarget(env);
    if (typeof target === 'string') logger.warn({}, `own spans are not exported: ${target}`);
    if (typeof target !== 'object' || !(await this.mayExportTo(target.url, own))) return false;
    // Most services export none, and the exporter takes a tenth of the time to start.
    const { exportingProvider } = await import('./span-export.ts');
    this.provider = await exportingProvider(target, this.options);
    this.tracer = this.provider.getTracer('explainability-agent');
    logger.info({ protocol: target.protocol }, 'own spans are exported by OTLP');
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
    const { logger, lookup } = this.options;
    try {
      if (await isOwnEndpoint(endpoint, own, lookup)) {
        logger.warn({}, 'own spans are not exported: the OTLP endpoint of the environment is this service');
        return false;
      }
    } catch {
      logger.warn({}, 'own spans are not exported: the OTLP endpoint of the environment is not a URL');
      return false;
    }
    return true;
  }
}
