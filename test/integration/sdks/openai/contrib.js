import { createRequire } from 'node:module';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { OpenAIInstrumentation } from '@opentelemetry/instrumentation-openai';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { provider } from './telemetry.js';

const logs = new LoggerProvider({
  processors: [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter() })],
});
registerInstrumentations({
  instrumentations: [new OpenAIInstrumentation({ captureMessageContent: true })],
  tracerProvider: provider,
  loggerProvider: logs,
});

// In ES modules nothing is patched on import; what is required is.
const { default: OpenAI } = createRequire(import.meta.url)('openai');
const { runAgent } = await import('./agent.js');

await runAgent(new OpenAI({ maxRetries: 0 }), 'openai-contrib');
await logs.shutdown();
await provider.shutdown();
