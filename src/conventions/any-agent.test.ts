import { testSpans } from './cases-for-test.ts';

testSpans('CV48', [
  {
    title: 'the cost in two halves',
    attributes: {
      'gen_ai.operation.name': 'call_llm',
      'gen_ai.request.model': 'mistral/mistral-small-latest',
      'gen_ai.usage.input_tokens': 672,
      'gen_ai.usage.output_tokens': 16,
      'gen_ai.usage.input_cost': 0.0000672,
      'gen_ai.usage.output_cost': 0.0000048,
      'gen_ai.output': '[{"tool.name":"now","tool.args":{"tz":"UTC"}}]',
    },
    step: { type: 'LLM_CALL', costUsd: 0.000072, tokensIn: 672, tokensOut: 16 },
    texts: { completion: 'now({"tz":"UTC"})' },
  },
  {
    title: 'one half alone',
    attributes: {
      'gen_ai.operation.name': 'call_llm',
      'gen_ai.usage.output_cost': '0.5',
      'gen_ai.usage.input_cost': 'x',
    },
    step: { type: 'LLM_CALL', costUsd: 0.5 },
  },
  {
    title: 'an agent',
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'any_agent',
      'any_agent.version': '1',
    },
    step: { type: 'OTHER', container: true, agent: 'any_agent', costUsd: undefined },
  },
]);
