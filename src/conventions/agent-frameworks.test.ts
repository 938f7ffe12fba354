import { testSpans } from './cases-for-test.ts';

const LLM = { 'openinference.span.kind': 'LLM', 'llm.model_name': 'gpt-4o' };
const IN = 'llm.input_messages.';
const CHAT = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o' };
const TOOL = { 'openinference.span.kind': 'TOOL', 'tool.name': 'get_weather' };

testSpans('CV65', [
  {
    title: "AutoGen's results of tools stand as JSON beside an empty message",
    attributes: {
      ...LLM,
      [`${IN}0.message.role`]: 'user',
      [`${IN}0.message.content`]: 'Paris and Rome?',
      [`${IN}1.message.role`]: 'function',
      [`${IN}1.function.0`]: '{"name":"get_weather","content":"sunny","call_id":"c1","is_error":false}',
      [`${IN}1.function.1`]: '{"name":"get_weather","content":"rain","call_id":"c2","is_error":false}',
    },
    step: { type: 'LLM_CALL' },
    details: { answeredToolCallIds: ['c1', 'c2'] },
    texts: { prompt: 'sunny\nrain' },
  },
  {
    title: "smolagents' observation answers all the calls that were written down before it",
    attributes: {
      ...LLM,
      [`${IN}0.message.role`]: 'tool-call',
      [`${IN}0.message.content`]:
        "Calling tools:\n[{'id': 'c1', 'function': {'name': 'f'}}, {'id': 'c2', 'function': {'name': 'f'}}]",
      [`${IN}1.message.role`]: 'tool-response',
      [`${IN}1.message.content`]: 'Observation:\nsunny\nrain',
    },
    step: { type: 'LLM_CALL' },
    details: { answeredToolCallIds: ['c1', 'c2'] },
  },
  {
    title: 'what was answered already is not new to the agent that reads the whole conversation',
    attributes: {
      ...LLM,
      [`${IN}0.message.role`]: 'tool',
      [`${IN}0.message.content`]: 'sunny, 18 C and no wind',
      [`${IN}0.message.tool_call_id`]: 'c1',
      [`${IN}1.message.role`]: 'assistant',
      [`${IN}1.message.content`]: 'Paris has 18 C and sun.',
    },
    step: { type: 'LLM_CALL', heardHashes: undefined },
    details: { answeredToolCallIds: undefined },
    texts: { prompt: 'sunny, 18 C and no wind' },
  },
  {
    title: 'the beginning of an answer that the model is to go on with answers nothing',
    attributes: {
      ...LLM,
      [`${IN}0.message.role`]: 'tool',
      [`${IN}0.message.content`]: 'sunny',
      [`${IN}0.message.tool_call_id`]: 'c1',
      [`${IN}1.message.role`]: 'assistant',
      [`${IN}1.message.content`]: '{',
    },
    step: { type: 'LLM_CALL' },
    details: { answeredToolCallIds: ['c1'] },
  },
]);

testSpans('CV66', [
  {
    title: 'what a call asked for is read beside an answer that does not tell of it',
    attributes: {
      ...CHAT,
      'gen_ai.tool.name': 'get_weather, get_weather',
      'gen_ai.tool.call.id': 'c1, c2',
      'gen_ai.tool.call.arguments': '{"city": "Paris"}, {"city": "Rome"}',
    },
    step: { type: 'LLM_CALL', askedIds: ['c1', 'c2'] },
    details: { requestedToolCallIds: ['c1', 'c2'], toolCallId: undefined },
    texts: { completion: 'get_weather({"city":"Paris"})\nget_weather({"city":"Rome"})' },
  },
  {
    title: 'arguments of parallel calls that ran together are those of two calls',
    attributes: {
      ...LLM,
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.tool_calls.0.tool_call.id': 'c1',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'get_weather',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments':
        '{"city":"Paris"}{"city":"Rome"}',
    },
    step: { type: 'LLM_CALL', title: 'get_weather(Paris), get_weather(Rome)' },
  },
]);

testSpans('CV60', [
  {
    title: "BeeAI's and smolagents' wrappers are taken off",
    attributes: { ...TOOL, 'input.value': '{"input": {"city": "Paris"}, "options": null}' },
    step: { type: 'TOOL_CALL', title: 'get_weather(Paris)' },
    texts: { toolArguments: '{"city":"Paris"}' },
  },
  {
    title: 'switches of what calls the tool are none of its arguments',
    attributes: {
      ...TOOL,
      'input.value': '{"args": [], "sanitize_inputs_outputs": true, "kwargs": {"city": "Paris"}}',
    },
    step: { type: 'TOOL_CALL' },
    texts: { toolArguments: '{"city":"Paris"}' },
  },
]);

testSpans('CV67', [
  {
    title: 'a message between agents is plumbing',
    span: { name: 'autogen process writer_1.(1)-A' },
    attributes: { 'messaging.operation': 'process', 'messaging.destination': 'writer_1.(1)-A' },
    step: { type: 'OTHER', wrapper: true },
  },
  {
    title: 'a span of that name from elsewhere is none',
    span: { name: 'autogen process orders' },
    attributes: {},
    step: { type: undefined, wrapper: undefined },
  },
  {
    title: 'what befell a tool is told in the tool',
    span: { name: 'error' },
    attributes: { 'openinference.span.kind': 'TOOL', 'metadata.path': 'tool.custom.get_weather.error' },
    step: { type: 'OTHER', wrapper: true },
  },
  {
    title: 'the agent whose turn it is',
    span: { name: 'AgentWorkflow.run_agent_step' },
    attributes: {
      'openinference.span.kind': 'CHAIN',
      'input.value': '{"ev": "AgentSetup(input=[], current_agent_name=\'forecaster\')"}',
    },
    step: { type: 'OTHER', agent: 'forecaster' },
  },
]);
