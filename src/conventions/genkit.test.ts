import { testSpans } from './cases-for-test.ts';

const MODEL = {
  'genkit:type': 'action',
  'genkit:metadata:subtype': 'model',
  'genkit:name': 'googleai/gemini-2.0-flash',
  'genkit:state': 'success',
};

testSpans('CV45', [
  {
    title: 'a call to a model',
    attributes: {
      ...MODEL,
      'genkit:input':
        '{"messages":[{"role":"user","content":[{"text":"hi"}]},{"role":"model","content":[{"toolRequest":{"name":"now","ref":"t1"}}]},{"role":"tool","content":[{"toolResponse":{"name":"now","ref":"t1","output":"12:00"}}]}]}',
      'genkit:output':
        '{"message":{"role":"model","content":[{"reasoning":"greet"},{"text":"hello"}]},"finishReason":"stop","usage":{"inputTokens":3,"outputTokens":4,"thoughtsTokens":1}}',
    },
    step: {
      type: 'LLM_CALL',
      convention: 'genkit',
      model: 'googleai/gemini-2.0-flash',
      tokensIn: 3,
      tokensOut: 4,
    },
    details: { reasoningTokens: 1, finishReasons: ['stop'], answeredToolCallIds: ['t1'] },
    texts: { prompt: '12:00', completion: 'hello', reasoning: 'greet' },
  },
  {
    title: 'thoughts that the total counts beside the output',
    attributes: {
      ...MODEL,
      'genkit:output':
        '{"message":{"role":"model","content":[{"toolRequest":{"name":"now","ref":"t1","input":{}}}]},"usage":{"inputTokens":3,"outputTokens":4,"thoughtsTokens":10,"totalTokens":17,"cachedContentTokens":2}}',
    },
    step: { tokensIn: 3, tokensOut: 14 },
    details: { reasoningTokens: 10, cacheReadTokens: 2, requestedToolCallIds: ['t1'] },
    texts: { completion: 'now({})' },
  },
  {
    title: 'an output that was cut off gives what is there of it',
    attributes: { ...MODEL, 'genkit:output': '{"message":{"role":"model","content":[{"text":"hel' },
    step: { type: 'LLM_CALL', tokensIn: undefined },
    texts: { completion: 'hel' },
  },
  {
    title: 'the generate around it is a helper: what it repeats is not taken',
    attributes: {
      'genkit:type': 'util',
      'genkit:name': 'generate',
      'genkit:output': '{"usage":{"inputTokens":3,"outputTokens":4}}',
    },
    step: { type: 'OTHER', wrapper: true, tokensIn: undefined },
  },
  {
    title: 'a flow is an agent',
    attributes: {
      'genkit:type': 'action',
      'genkit:metadata:subtype': 'flow',
      'genkit:name': 'menu',
      'genkit:input': '"fish"',
      'genkit:output': '"soup"',
    },
    step: { type: 'OTHER', container: true, wrapper: undefined, agent: 'menu' },
    texts: { prompt: 'fish', completion: 'soup' },
  },
  {
    title: 'a tool that failed',
    attributes: {
      'genkit:metadata:subtype': 'tool',
      'genkit:name': 'run_tests',
      'genkit:input': '{}',
      'genkit:state': 'error',
      'genkit:sessionId': 's',
    },
    step: { type: 'TEST_RUN', status: 'ERROR', task: { id: 's', rank: 1 } },
    details: { toolName: 'run_tests' },
  },
]);
