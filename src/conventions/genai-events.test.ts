import { testLogs } from './cases-for-test.ts';

const DETAILS = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.usage.input_tokens': 10,
  'gen_ai.usage.output_tokens': 5,
  'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }],
  'gen_ai.output.messages': [
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'greet' },
        { type: 'text', content: 'hello' },
      ],
    },
  ],
};

testLogs('LG9', [
  {
    title: 'a call as one record has the id of the span of the same response',
    attributes: { ...DETAILS, 'gen_ai.response.id': 'resp_1' },
    log: { event: 'gen_ai.client.inference.operation.details', inSpan: true },
    step: {
      type: 'LLM_CALL',
      convention: 'gen_ai',
      stepId: 'call:resp_1',
      model: 'gpt-4o',
      tokensIn: 10,
      tokensOut: 5,
      promptSummary: 'hi',
      byUser: true,
    },
    texts: { prompt: 'hi', completion: 'hello', reasoning: 'greet' },
  },
  {
    title: 'a call as one record, named by an attribute, its fields in the body, and no response id',
    attributes: { 'event.name': 'gen_ai.client.inference.operation.details' },
    log: { body: DETAILS, inSpan: true },
    step: { type: 'LLM_CALL', stepId: undefined, model: 'gpt-4o', tokensIn: 10 },
    texts: { prompt: 'hi', completion: 'hello', reasoning: 'greet' },
  },
  {
    title: 'a record of a call that names no operation is an LLM call',
    attributes: { 'gen_ai.input.messages': '[{"role":"user","content":"hi"}]' },
    log: { event: 'gen_ai.client.inference.operation.details' },
    step: { type: 'LLM_CALL', promptSummary: 'hi' },
  },
  {
    title: 'an evaluation judges the call of its response',
    attributes: {
      'gen_ai.evaluation.name': 'Relevance',
      'gen_ai.evaluation.score.value': 0.83,
      'gen_ai.evaluation.score.label': 'relevant',
      'gen_ai.evaluation.explanation': 'It answers the question.',
      'gen_ai.response.id': 'resp_1',
    },
    log: { event: 'gen_ai.evaluation.result', inSpan: true },
    step: { type: 'REFLEXION_ACTION', stepId: undefined, promptSummary: 'It answers the question.' },
    details: { evaluation: 'Relevance', score: 0.83, verdict: 'relevant' },
    causes: [{ stepId: 'call:resp_1', relation: 'TRIGGERED', evidence: 'requestId' }],
  },
  {
    title: 'a message of the user is content of its span',
    attributes: { 'event.name': 'gen_ai.user.message' },
    log: { body: { content: 'what time is it?' }, inSpan: true },
    step: { type: undefined, stepId: undefined, promptSummary: 'what time is it?', byUser: true },
    texts: { prompt: 'what time is it?' },
  },
  {
    title: 'what a tool answered names its call',
    attributes: {},
    log: { event: 'gen_ai.tool.message', body: { id: 'call_1', content: '12:00' }, inSpan: true },
    step: { type: undefined, promptSummary: '12:00', byUser: undefined },
    details: { answeredToolCallIds: ['call_1'] },
    texts: { prompt: '12:00' },
  },
  {
    title: 'a choice is the answer, with the tools that it asks for',
    attributes: {},
    log: {
      event: 'gen_ai.choice',
      inSpan: true,
      body: {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          content: 'Let me see.',
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'now', arguments: '{}' } }],
        },
      },
    },
    step: { type: undefined },
    details: { requestedToolCallIds: ['call_1'], finishReasons: ['tool_calls'] },
    texts: { completion: 'Let me see.\nnow({})' },
  },
  {
    title: 'a choice that only asks for tools is told by these, with their values',
    attributes: {},
    log: {
      event: 'gen_ai.choice',
      inSpan: true,
      body: {
        message: {
          tool_calls: [{ id: 'c', function: { name: 'my-weather', arguments: '{"city":"Oslo"}' } }],
        },
      },
    },
    step: { type: undefined, title: 'my-weather(Oslo)' },
  },
  {
    title: 'a choice as JSON that was cut off gives what is there of it',
    attributes: {},
    log: { event: 'gen_ai.choice', inSpan: true, body: '{"index":0,"message":{"content":"Let me s' },
    step: { type: undefined },
    texts: { completion: 'Let me s' },
  },
]);
