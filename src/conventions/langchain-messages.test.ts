import { testSpans } from './cases-for-test.ts';

/** As OpenInference exports LangChain.js and LangGraph.js: messages serialised as constructors and their arguments. */

const SERIALISED = { lc: 1, type: 'constructor' };
const ASKED = {
  ...SERIALISED,
  id: ['langchain_core', 'messages', 'HumanMessage'],
  kwargs: { content: 'Do I need an umbrella in Oslo?', additional_kwargs: {}, response_metadata: {} },
};
const ASKS = {
  ...SERIALISED,
  id: ['langchain_core', 'messages', 'AIMessage'],
  kwargs: { content: '', tool_calls: [{ id: 'call_oslo', name: 'get_weather', args: { city: 'Oslo' } }] },
};
const GAVE = {
  ...SERIALISED,
  id: ['langchain_core', 'messages', 'ToolMessage'],
  kwargs: {
    status: 'success',
    content: '12 degrees, rain in Oslo',
    tool_call_id: 'call_oslo',
    name: 'get_weather',
  },
};
const SAYS = {
  ...SERIALISED,
  id: ['langchain_core', 'messages', 'AIMessage'],
  kwargs: { content: 'Take an umbrella.', response_metadata: { model_name: 'gpt-4o-2024-08-06' } },
};

testSpans('CV57', [
  {
    title: "a tool of LangChain.js that gives a message back, in the tool's output",
    span: { name: 'get_weather' },
    attributes: {
      'openinference.span.kind': 'TOOL',
      'tool.name': 'get_weather',
      'input.value': 'Oslo',
      'output.value': JSON.stringify({ output: GAVE }),
    },
    step: { type: 'TOOL_CALL' },
    details: { toolCallId: 'call_oslo' },
    texts: { toolArguments: 'Oslo', toolResult: '12 degrees, rain in Oslo' },
  },
  {
    title: 'the ids that a call of LangChain.js answers stand in its body alone',
    span: { name: 'WeatherModel' },
    attributes: {
      'openinference.span.kind': 'LLM',
      'input.value': JSON.stringify({ messages: [[ASKED, ASKS, GAVE]] }),
      'output.value': JSON.stringify({ generations: [[{ text: 'Take an umbrella.', message: SAYS }]] }),
      'llm.invocation_parameters': '{"model":"gpt-4o"}',
      'llm.model_name': 'gpt-4o',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': 'Do I need an umbrella in Oslo?',
      'llm.input_messages.1.message.role': 'assistant',
      'llm.input_messages.1.message.content': '',
      'llm.input_messages.2.message.role': 'tool',
      'llm.input_messages.2.message.content': '12 degrees, rain in Oslo',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': 'Take an umbrella.',
    },
    step: { type: 'LLM_CALL', model: 'gpt-4o-2024-08-06', byUser: undefined },
    details: {
      answeredToolCallIds: ['call_oslo'],
      requestModel: 'gpt-4o',
      responseModel: 'gpt-4o-2024-08-06',
    },
    texts: { prompt: '12 degrees, rain in Oslo', completion: 'Take an umbrella.' },
  },
  {
    title: 'a call of which only the body has messages',
    attributes: {
      'openinference.span.kind': 'LLM',
      'input.value': JSON.stringify({ messages: [[ASKED]] }),
      'output.value': JSON.stringify({ generations: [[{ text: '', message: ASKS }]] }),
    },
    step: { byUser: true },
    details: { requestedToolCallIds: ['call_oslo'] },
    texts: { prompt: 'Do I need an umbrella in Oslo?', completion: 'get_weather({"city":"Oslo"})' },
  },
  {
    title: 'a graph of LangGraph.js',
    span: { name: 'WeatherAgent' },
    attributes: {
      'openinference.span.kind': 'CHAIN',
      'input.value': JSON.stringify({ messages: [ASKED] }),
      'output.value': JSON.stringify({ messages: [ASKED, ASKS, GAVE, SAYS] }),
    },
    step: { container: true, byUser: true, agent: 'WeatherAgent' },
    texts: { prompt: 'Do I need an umbrella in Oslo?', completion: 'Take an umbrella.' },
  },
  ...['__start__', '__end__'].map((name) => ({
    title: `${name} of LangGraph is plumbing`,
    span: { name },
    attributes: {
      'openinference.span.kind': 'CHAIN',
      'output.value': JSON.stringify({ messages: [ASKED] }),
    },
    step: { type: 'OTHER' as const, wrapper: true as const },
    texts: undefined,
  })),
]);

const STREAMED = {
  'openinference.span.kind': 'LLM',
  'llm.model_name': 'gpt-4o',
  'output.value': 'Take an umbrella.',
};

testSpans('CV58', [
  {
    title: 'a model that only the parameters name is the one that was asked for',
    attributes: { ...STREAMED, 'llm.invocation_parameters': '{"model":"gpt-4o","stream":true}' },
    step: { model: 'gpt-4o' },
    details: { responseModel: undefined, requestModel: undefined },
  },
  {
    title: 'a model that the parameters do not name has answered',
    attributes: { ...STREAMED, 'llm.invocation_parameters': '{"stream":true}' },
    step: { model: 'gpt-4o' },
    details: { responseModel: 'gpt-4o' },
  },
]);

testSpans('CV55', [
  {
    title: 'a chain that was called with a text',
    attributes: { 'openinference.span.kind': 'CHAIN', 'input.value': 'Rain in Oslo?' },
    step: { byUser: true },
  },
  {
    title: 'the program itself may have said what a model was called with',
    attributes: { 'openinference.span.kind': 'LLM', 'input.value': 'Rain in Oslo?' },
    step: { byUser: undefined, promptSummary: 'Rain in Oslo?' },
  },
  {
    title: 'what a tool gave is no query',
    attributes: {
      'openinference.span.kind': 'AGENT',
      'input.value': '[{"role":"tool","content":"12 degrees"}]',
    },
    step: { byUser: undefined, promptSummary: '12 degrees' },
  },
]);
