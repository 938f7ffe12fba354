import { setTimeout } from 'node:timers/promises';
import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain';
import * as callbacks from '@langchain/core/callbacks/manager';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { provider } from './telemetry.js';

const instrumentation = new LangChainInstrumentation();
instrumentation.setTracerProvider(provider);
instrumentation.manuallyInstrument(callbacks); // in ES modules nothing is patched on import

/** A model takes its time: what comes after it begins in a later millisecond. */
const THINKING_MS = 5;

/** A chat model that answers with whole messages: usage, model and tool calls included. */
class WeatherModel extends FakeListChatModel {
  constructor(...messages) {
    super({ responses: [''] });
    this.messages = messages;
  }

  async _generate() {
    const message = await setTimeout(THINKING_MS, this.messages.shift());
    if (message instanceof Error) throw message;
    return {
      generations: [{ text: message.content, message }],
      llmOutput: { model_name: 'gpt-4o-2024-08-06' },
    };
  }

  invocationParams() {
    return { model: 'gpt-4o' };
  }
}

const getWeather = tool(async ({ city }) => `12 degrees, rain in ${city}`, {
  name: 'get_weather',
  description: 'The weather of a city',
  schema: z.object({ city: z.string() }),
});
const model = new WeatherModel(
  new AIMessage({
    content: '',
    tool_calls: [{ id: 'call_oslo', name: 'get_weather', args: { city: 'Oslo' }, type: 'tool_call' }],
    usage_metadata: {
      input_tokens: 2006,
      output_tokens: 300,
      total_tokens: 2306,
      input_token_details: { cache_read: 1920 },
      output_token_details: { reasoning: 128 },
    },
  }),
  new AIMessage({
    content: 'Take an umbrella.',
    usage_metadata: { input_tokens: 2100, output_tokens: 40, total_tokens: 2140 },
  }),
  new Error('the model is overloaded'),
);
const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addNode('tools', new ToolNode([getWeather]))
  .addEdge(START, 'model')
  .addConditionalEdges('model', ({ messages }) => (messages.at(-1).tool_calls?.length > 0 ? 'tools' : END))
  .addEdge('tools', 'model')
  .compile({ name: 'WeatherAgent' });
const asked = (text) => ({ messages: [new HumanMessage(text)] });

const { messages } = await graph.invoke(asked('Do I need an umbrella in Oslo?'), {
  metadata: { session_id: 'langgraph' },
});
console.log(messages.at(-1).content);
await graph
  .invoke(asked('And tomorrow?'), { metadata: { session_id: 'langgraph-failure' } })
  .catch((error) => console.log(error.message));

await provider.shutdown();
