import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';

/** What an application does to export its traces: OTEL_EXPORTER_OTLP_ENDPOINT says where to. */
export const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'weather-app' }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();
