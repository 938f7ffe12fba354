import { trace, SpanStatusCode } from '@opentelemetry/api';

const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'The weather of a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
];
const tracer = trace.getTracer('weather-agent');

/** An agent with a span of its own around its work, and one around its tool. */
export async function runAgent(client, session) {
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'WeatherAgent',
    'session.id': session,
  };
  await tracer.startActiveSpan('invoke_agent WeatherAgent', { attributes }, async (root) => {
    const messages = [{ role: 'user', content: 'Do I need an umbrella in Oslo?' }];
    const first = await client.chat.completions.create({ model: 'gpt-4o', messages, tools });
    const [call] = first.choices[0].message.tool_calls;
    const result = callTool(call);
    messages.push(first.choices[0].message, { role: 'tool', tool_call_id: call.id, content: result });
    const second = await client.chat.completions.create({ model: 'gpt-4o', messages, tools });
    console.log(second.choices[0].message.content);

    const stream = await client.chat.completions.create({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'Say hello' }],
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    console.log(text);

    const response = await client.responses.create({
      model: 'o4-mini',
      input: 'Lint or test first?',
      reasoning: { effort: 'low', summary: 'auto' },
    });
    console.log(response.output_text);

    await client.chat.completions
      .create({ model: 'busy', messages: [{ role: 'user', content: 'And tomorrow?' }] })
      .catch((error) => {
        console.log(error.message);
        root.recordException(error);
        root.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
      });
    root.end();
  });
}

function callTool(call) {
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': call.function.name,
    'gen_ai.tool.call.id': call.id,
    'gen_ai.tool.call.arguments': call.function.arguments,
  };
  return tracer.startActiveSpan(`execute_tool ${call.function.name}`, { attributes }, (span) => {
    const result = `12 degrees, rain in ${JSON.parse(call.function.arguments).city}`;
    span.setAttribute('gen_ai.tool.call.result', result);
    span.end();
    return result;
  });
}
