import { testSpans, type SpanCase } from './cases-for-test.ts';

const MESSAGE = {
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', 'AIMessage'],
  kwargs: {
    content: 'Fine.',
    usage_metadata: {
      input_tokens: 120,
      output_tokens: 30,
      input_token_details: { cache_read: 100, cache_creation: 5 },
      output_token_details: { reasoning: 20 },
    },
    response_metadata: { model_name: 'gpt-4o-2024-08-06', finish_reason: 'stop', id: 'chatcmpl-77' },
  },
};

const CASES: readonly SpanCase[] = [
  {
    title: 'a model run: usage, model, end and id from the message in its outputs',
    attributes: {
      'langsmith.span.kind': 'llm',
      'langsmith.metadata.ls_provider': 'openai',
      'langsmith.metadata.ls_model_name': 'gpt-4o',
      'langsmith.metadata.lc_agent_name': 'researcher',
      'langsmith.metadata.langgraph_node': 'model',
      'langsmith.metadata.thread_id': 't1',
      'gen_ai.prompt':
        '{"messages":[[{"id":["x","HumanMessage"],"kwargs":{"content":"Look","type":"human"}}]]}',
      'gen_ai.completion': JSON.stringify({ generations: [[{ text: 'Fine.', message: MESSAGE }]] }),
    },
    step: {
      type: 'LLM_CALL',
      convention: 'langsmith',
      agent: 'researcher',
      model: 'gpt-4o-2024-08-06',
      task: { id: 't1', rank: 1 },
      tokensIn: 120,
      tokensOut: 30,
      byUser: true,
      stepId: 'call:chatcmpl-77',
    },
    details: {
      provider: 'openai',
      responseId: 'chatcmpl-77',
      finishReasons: ['stop'],
      cacheReadTokens: 100,
      cacheWriteTokens: 5,
      reasoningTokens: 20,
    },
    texts: { prompt: 'Look', completion: 'Fine.' },
  },
  {
    title: 'usage that it tells itself comes first',
    attributes: {
      'langsmith.span.kind': 'llm',
      'langsmith.usage_metadata': '{"input_tokens":"7","output_tokens":3,"total_cost":0.25}',
      'gen_ai.completion': JSON.stringify(MESSAGE),
    },
    step: { tokensIn: 7, tokensOut: 3, costUsd: 0.25 },
  },
  {
    title: 'a tool: prompt and completion are its arguments and its result',
    attributes: {
      'langsmith.span.kind': 'tool',
      'gen_ai.prompt': '{"input":"{\\"path\\":\\"a.ts\\"}"}',
      'gen_ai.completion': '{"output":{"content":"12 passed","type":"tool","tool_call_id":"call_1"}}',
    },
    span: { name: 'run_tests' },
    step: { type: 'TEST_RUN' },
    details: { toolName: 'run_tests', toolCallId: 'call_1' },
    texts: { toolArguments: '{"input":"{\\"path\\":\\"a.ts\\"}"}', toolResult: '12 passed' },
  },
  {
    title: 'plumbing is shown in the step around it',
    attributes: { 'langsmith.span.kind': 'chain' },
    span: { name: 'RunnableSequence' },
    step: { type: 'OTHER', container: true, wrapper: true },
  },
  {
    title: "LangGraph's own nodes are no agents",
    attributes: { 'langsmith.span.kind': 'chain', 'langsmith.metadata.langgraph_node': '__start__' },
    span: { name: 'LangGraph' },
    step: { type: 'OTHER', container: true, wrapper: undefined, agent: undefined },
  },
  {
    title: 'outputs that are cut off, or no outputs',
    attributes: {
      'langsmith.span.kind': 'llm',
      'gen_ai.completion': JSON.stringify(MESSAGE).slice(0, -20),
    },
    step: { type: 'LLM_CALL', model: 'gpt-4o-2024-08-06', tokensIn: 120 },
  },
];

testSpans('CV31', CASES);
