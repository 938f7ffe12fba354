import { LangfuseSpanProcessor } from '@langfuse/otel';
import { propagateAttributes, startActiveObservation } from '@langfuse/tracing';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

const provider = new NodeTracerProvider({
  spanProcessors: [new LangfuseSpanProcessor({ exporter: new OTLPTraceExporter() })],
});
provider.register();

const question = 'Do I need an umbrella in Oslo?';
const messages = [{ role: 'user', content: question }];

async function weatherAgent(agent) {
  agent.update({ input: messages });
  await startActiveObservation(
    'plan',
    async (generation) => {
      generation.update({
        model: 'gpt-4o-2024-08-06',
        input: messages,
        output: {
          role: 'assistant',
          reasoning_content: 'I have to look at the weather.',
          tool_calls: [
            {
              id: 'call_oslo',
              type: 'function',
              function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
            },
          ],
        },
        // Langfuse's buckets lie beside each other: what was cached is not in `input`.
        usageDetails: { input: 86, input_cached_tokens: 1920, output: 300 },
        costDetails: { input: 0.002615, output: 0.003, total: 0.005615 },
      });
    },
    { asType: 'generation' },
  );
  const weather = await startActiveObservation(
    'get_weather',
    async (tool) => {
      const result = '12 degrees, rain in Oslo';
      tool.update({ input: { city: 'Oslo' }, output: result });
      return result;
    },
    { asType: 'tool' },
  );
  await startActiveObservation(
    'answer',
    async (generation) => {
      generation.update({
        model: 'gpt-4o-2024-08-06',
        input: [...messages, { role: 'tool', tool_call_id: 'call_oslo', content: weather }],
        output: { role: 'assistant', content: 'Take an umbrella.' },
        usageDetails: { input: 2100, output: 40 },
      });
    },
    { asType: 'generation' },
  );
  await startActiveObservation(
    'translate',
    async (generation) => {
      generation.update({
        model: 'gpt-4o-2024-08-06',
        input: [{ role: 'user', content: 'Translate it' }],
        level: 'ERROR',
        statusMessage: 'the model is overloaded',
      });
    },
    { asType: 'generation' },
  );
  agent.update({ output: { role: 'assistant', content: 'Take an umbrella.' } });
}

await propagateAttributes({ sessionId: 'langfuse', userId: 'user-7' }, () =>
  startActiveObservation('WeatherAgent', weatherAgent, { asType: 'agent' }),
);
await provider.shutdown();
