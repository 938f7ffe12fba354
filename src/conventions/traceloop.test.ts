import { testSpans, type SpanCase } from './cases-for-test.ts';

const CASES: readonly SpanCase[] = [
  {
    title: 'a workflow is a container; its session and user hold for it',
    attributes: {
      'traceloop.span.kind': 'workflow',
      'traceloop.entity.name': 'review',
      'traceloop.association.properties.session_id': 's1',
      'traceloop.association.properties.user_id': 'u1',
      'traceloop.entity.input': '{"args":[],"kwargs":{}}',
    },
    span: { name: 'review.workflow' },
    step: {
      type: 'OTHER',
      container: true,
      wrapper: undefined,
      task: { id: 's1', rank: 1 },
      agent: undefined,
    },
    details: { userId: 'u1' },
    texts: { prompt: '{"args":[],"kwargs":{}}' },
  },
  {
    title: 'a task id is stronger than a session',
    attributes: {
      'traceloop.span.kind': 'task',
      'traceloop.association.properties.session_id': 's1',
      'traceloop.association.properties.taskID': 'T1',
    },
    step: { type: 'OTHER', task: { id: 'T1', rank: 0 } },
  },
  {
    title: 'an agent',
    attributes: { 'traceloop.span.kind': 'agent', 'traceloop.entity.name': 'reviewer' },
    step: { type: 'OTHER', container: true, agent: 'reviewer' },
  },
  {
    title: 'a tool',
    attributes: {
      'traceloop.span.kind': 'tool',
      'traceloop.entity.name': 'eslint',
      'traceloop.entity.input': '{"path":"a.ts"}',
      'traceloop.entity.output': '{"issues":1}',
    },
    step: { type: 'STATIC_ANALYSIS' },
    details: { toolName: 'eslint' },
    texts: { toolArguments: '{"path":"a.ts"}', toolResult: '{"issues":1}' },
  },
  {
    title: 'a handoff is the tool call that hands over',
    attributes: {
      'traceloop.span.kind': 'handoff',
      'gen_ai.operation.name': 'handoff',
      'gen_ai.agent.name': 'forecaster',
      'gen_ai.handoff.to_agent': 'writer',
    },
    step: { type: 'TOOL_CALL', agent: 'forecaster', handsTo: 'writer' },
    details: { toolName: 'handoff to writer' },
  },
  {
    title: 'a handoff whose SDK did not say yet to whom',
    attributes: {
      'traceloop.span.kind': 'handoff',
      'gen_ai.operation.name': 'handoff',
      'gen_ai.agent.name': 'forecaster',
      'gen_ai.handoff.to_agent': 'unknown',
    },
    step: { type: 'TOOL_CALL', agent: 'forecaster', handsTo: '*' },
    details: { toolName: 'handoff' },
  },
  {
    title: 'plumbing of LangChain is shown in the step around it',
    attributes: { 'traceloop.span.kind': 'task', 'traceloop.entity.name': 'ChatPromptTemplate' },
    span: { name: 'ChatPromptTemplate.task' },
    step: { type: 'OTHER', wrapper: true },
  },
  {
    title: 'a model call before gen_ai, numbers as strings',
    attributes: {
      'llm.request.type': 'chat',
      'gen_ai.request.model': 'gpt-4o',
      'llm.usage.prompt_tokens': '12',
      'llm.usage.completion_tokens': '3',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'hi',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': '<think>hm</think>hello',
    },
    step: { type: 'LLM_CALL', tokensIn: 12, tokensOut: 3, byUser: true, thoughts: ['hm'] },
    texts: { prompt: 'hi', completion: 'hello', reasoning: 'hm' },
  },
];

testSpans('CV32', CASES);
