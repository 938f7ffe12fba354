import Anthropic from '@anthropic-ai/sdk';
import { AnthropicInstrumentation } from '@arizeai/openinference-instrumentation-anthropic';
import { trace } from '@opentelemetry/api';
import { provider } from './telemetry.js';

const instrumentation = new AnthropicInstrumentation();
instrumentation.setTracerProvider(provider);
instrumentation.manuallyInstrument(Anthropic);

const client = new Anthropic({ maxRetries: 0 });
const settings = {
  model: 'claude-sonnet-4-5',
  max_tokens: 4000,
  thinking: { type: 'enabled', budget_tokens: 2000 },
  tools: [
    {
      name: 'get_weather',
      description: 'The weather of a city',
      input_schema: { type: 'object', properties: { city: { type: 'string' } } },
    },
  ],
};
const attributes = {
  'gen_ai.operation.name': 'invoke_agent',
  'gen_ai.agent.name': 'WeatherAgent',
  'session.id': 'anthropic',
};

await trace
  .getTracer('weather-agent')
  .startActiveSpan('invoke_agent WeatherAgent', { attributes }, async (root) => {
    const messages = [{ role: 'user', content: 'Do I need an umbrella in Oslo?' }];
    const first = await client.messages.create({ ...settings, messages });
    const call = first.content.find(({ type }) => type === 'tool_use');
    messages.push(
      { role: 'assistant', content: first.content },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: call.id, content: '12 degrees, rain in Oslo' }],
      },
    );
    const second = await client.messages.create({ ...settings, messages });
    console.log(second.content[0].text);
    await client.messages
      .create({ ...settings, model: 'busy', messages: [{ role: 'user', content: 'And tomorrow?' }] })
      .catch((error) => console.log(error.message));
    root.end();
  });
await provider.shutdown();
