import Anthropic from '@anthropic-ai/sdk';
import { trace } from '@opentelemetry/api';
import { provider } from './telemetry.js';

// Texts are left out otherwise. The SDK makes spans by itself as soon as there is a provider.
process.env.ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE = 'content';
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
const tracer = trace.getTracer('weather-agent');

function callTool({ id, name, input }) {
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'gen_ai.tool.call.id': id,
    'gen_ai.tool.call.arguments': JSON.stringify(input),
  };
  return tracer.startActiveSpan(`execute_tool ${name}`, { attributes }, (span) => {
    const result = `12 degrees, rain in ${input.city}`;
    span.setAttribute('gen_ai.tool.call.result', result);
    span.end();
    return result;
  });
}

const attributes = { component: 'WeatherAgent', taskID: 'anthropic-own' };
await tracer.startActiveSpan('weather agent', { attributes }, async (root) => {
  const messages = [{ role: 'user', content: 'Do I need an umbrella in Oslo?' }];
  const first = await client.messages.create({ ...settings, messages });
  const call = first.content.find(({ type }) => type === 'tool_use');
  messages.push(
    { role: 'assistant', content: first.content },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: callTool(call) }] },
  );
  const last = await client.messages.stream({ ...settings, messages }).finalMessage();
  console.log(last.content.at(-1).text);
  await client.messages
    .create({ ...settings, model: 'busy', messages: [{ role: 'user', content: 'And tomorrow?' }] })
    .catch((error) => console.log(error.status));
  root.end();
});
await provider.shutdown();
