import { testSpans, type SpanCase } from './cases-for-test.ts';

const CASES: readonly SpanCase[] = [
  {
    title: 'a generation: buckets exclude one another, the body has id and end',
    attributes: {
      'langfuse.observation.type': 'generation',
      'langfuse.observation.model.name': 'gpt-4o',
      'langfuse.session.id': 's1',
      'langfuse.user.id': 'u1',
      'langfuse.observation.input': '[{"role":"user","content":"hi"}]',
      'langfuse.observation.output':
        '{"id":"chatcmpl-5","choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"hello","reasoning_content":"greet"}}]}',
      'langfuse.observation.usage_details':
        '{"input":20,"input_cached_tokens":80,"output":4,"output_reasoning_tokens":6,"total":110}',
      'langfuse.observation.cost_details': '{"input":0.1,"total":"0.25"}',
    },
    step: {
      type: 'LLM_CALL',
      convention: 'langfuse',
      model: 'gpt-4o',
      task: { id: 's1', rank: 1 },
      tokensIn: 100,
      tokensOut: 10,
      costUsd: 0.25,
      estimatedCostUsd: undefined,
      byUser: true,
      thoughts: ['greet'],
      stepId: 'call:chatcmpl-5',
    },
    details: {
      userId: 'u1',
      responseId: 'chatcmpl-5',
      finishReasons: ['stop'],
      cacheReadTokens: 80,
      reasoningTokens: 6,
    },
    texts: { prompt: 'hi', completion: 'hello', reasoning: 'greet' },
  },
  {
    title: 'a tool',
    attributes: {
      'langfuse.observation.type': 'tool',
      'langfuse.observation.input': '{"path":"t"}',
      'langfuse.observation.output': '12 passed',
      'langfuse.observation.level': 'WARNING',
    },
    span: { name: 'run_tests' },
    step: { type: 'TEST_RUN', status: 'WARNING' },
    details: { toolName: 'run_tests' },
    texts: { toolArguments: '{"path":"t"}', toolResult: '12 passed' },
  },
  {
    title: 'an agent, by the name it was given before that of its node',
    attributes: {
      'langfuse.observation.type': 'agent',
      'langfuse.observation.metadata.lc_agent_name': 'writer',
      'langfuse.observation.metadata.langgraph_node': 'model',
    },
    step: { type: 'OTHER', container: true, agent: 'writer' },
  },
  {
    title:
      'metadata in quotes, as newer SDKs write them; the agent stands around the nodes that every agent has',
    attributes: {
      'langfuse.observation.type': 'agent',
      'langfuse.observation.metadata.thread_id': '"t-1"',
      'langfuse.observation.metadata.langgraph_node': '"agent"',
      'langfuse.observation.metadata.langgraph_checkpoint_ns': '"writer:846257c7|agent:f705ce54"',
    },
    span: { name: 'agent' },
    step: { type: 'OTHER', container: true, agent: 'writer', task: { id: 't-1', rank: 1 } },
  },
  {
    title: 'a session goes before a thread of LangGraph; what runs at the ends of a graph is no agent',
    attributes: {
      'session.id': 's-1',
      'langfuse.observation.type': 'agent',
      'langfuse.observation.metadata.thread_id': '"t-1"',
      'langfuse.observation.metadata.langgraph_node': '"__start__"',
    },
    span: { name: 'route_to_active_agent' },
    step: { agent: undefined, task: { id: 's-1', rank: 1 } },
  },
  {
    title: 'plumbing of LangChain is shown in the step around it',
    attributes: { 'langfuse.observation.type': 'span' },
    span: { name: 'RunnableLambda' },
    step: { type: 'OTHER', container: true, wrapper: true },
  },
  {
    title: 'a plain span that gives a message with the id of a call is a tool',
    attributes: {
      'langfuse.observation.type': 'span',
      'langfuse.observation.input': "{'query': 'example'}",
      'langfuse.observation.metadata.inputs': '{"query":"example"}',
      'langfuse.observation.output':
        '{"content":[{"url":"https://example.com","title":"Example"}],"type":"tool","name":"Web-Search","tool_call_id":"call_1"}',
    },
    span: { name: 'search node' },
    step: { type: 'TOOL_CALL', container: undefined },
    details: { toolName: 'Web-Search', toolCallId: 'call_1' },
    texts: {
      toolArguments: '{"query":"example"}',
      toolResult: '[{"url":"https://example.com","title":"Example"}]',
    },
  },
  {
    title: 'a state of a graph that holds such messages is no tool',
    attributes: {
      'langfuse.observation.type': 'span',
      'langfuse.observation.output':
        '{"messages":[{"content":"x","type":"tool","name":"Web-Search","tool_call_id":"call_1"}]}',
    },
    step: { type: 'OTHER', container: true },
    details: { toolCallId: undefined },
  },
  {
    title: 'a printed conversation, and no answer but calls',
    attributes: {
      'langfuse.observation.type': 'generation',
      'langfuse.observation.model.name': 'gpt-4o-2024-08-06',
      'langfuse.observation.metadata.ls_model_name': 'gpt-4o',
      'langfuse.observation.input': 'developer: Be brief.\nuser: What is new?\nIn tech.',
      'langfuse.observation.output': 'None',
    },
    step: { type: 'LLM_CALL', byUser: true, saidHash: undefined, promptSummary: 'What is new? In tech.' },
    details: { responseModel: 'gpt-4o-2024-08-06', requestModel: 'gpt-4o' },
    texts: { prompt: 'What is new?\nIn tech.' },
  },
  {
    title: "the steps of Koog's strategies are no agents",
    attributes: {
      'koog.node.name': 'nodeCallLLM',
      'langfuse.observation.metadata.langgraph_node': 'nodeCallLLM',
    },
    step: { agent: undefined },
  },
];

testSpans('CV33', CASES);

testSpans('CV56', [
  {
    title: 'an agent that gives a message back',
    span: { name: 'WeatherAgent' },
    attributes: {
      'langfuse.observation.type': 'agent',
      'langfuse.observation.input': '[{"role":"user","content":"Do I need an umbrella in Oslo?"}]',
      'langfuse.observation.output': '{"role":"assistant","content":"Take an umbrella."}',
    },
    step: { container: true, byUser: true },
    texts: { prompt: 'Do I need an umbrella in Oslo?', completion: 'Take an umbrella.' },
  },
  {
    title: 'data is shown as it is',
    attributes: {
      'langfuse.observation.type': 'chain',
      'langfuse.observation.output': '{"content":"a page","url":"x"}',
    },
    step: { container: true },
    texts: { completion: '{"content":"a page","url":"x"}' },
  },
]);
