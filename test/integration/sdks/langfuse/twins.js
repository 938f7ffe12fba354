import { LangfuseSpanProcessor } from '@langfuse/otel';
import { propagateAttributes, startActiveObservation } from '@langfuse/tracing';
import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import OpenAI from 'openai';

const provider = new NodeTracerProvider({
  spanProcessors: [
    new LangfuseSpanProcessor({ exporter: new OTLPTraceExporter(), shouldExportSpan: () => true }),
  ],
});
provider.register();
const instrumentation = new OpenAIInstrumentation();
instrumentation.setTracerProvider(provider);
instrumentation.manuallyInstrument(OpenAI);

const client = new OpenAI({ maxRetries: 0 });

/** The application tells of its calls to Langfuse, and the SDK's instrumentation tells of them once more. */
async function ask(name, model, messages, more = {}) {
  return startActiveObservation(
    name,
    async (generation) => {
      generation.update({ model, input: messages });
      const { choices, usage } = await client.chat.completions.create({ model, messages, ...more });
      generation.update({
        output: choices[0].message,
        usageDetails: {
          input: usage.prompt_tokens - usage.prompt_tokens_details.cached_tokens,
          input_cached_tokens: usage.prompt_tokens_details.cached_tokens,
          output: usage.completion_tokens,
        },
      });
      return choices[0].message;
    },
    { asType: 'generation' },
  );
}

await propagateAttributes({ sessionId: 'twins' }, () =>
  startActiveObservation(
    'WeatherAgent',
    async () => {
      const messages = [{ role: 'user', content: 'Do I need an umbrella in Oslo?' }];
      const first = await ask('plan', 'gpt-4o', messages);
      messages.push(first, {
        role: 'tool',
        tool_call_id: first.tool_calls[0].id,
        content: '12 degrees, rain in Oslo',
      });
      console.log((await ask('answer', 'gpt-4o', messages)).content);
    },
    { asType: 'agent' },
  ),
);
await provider.shutdown();
