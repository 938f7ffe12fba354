import { testSpans } from './cases-for-test.ts';

testSpans('CV43', [
  {
    title: 'premium requests are no dollars',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'claude-sonnet-4.5',
      'gen_ai.agent.id': '3f1c2a9e-0000-4000-8000-000000000000',
      'gen_ai.conversation.id': 'conv',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 10,
      'github.copilot.cost': 1,
      'github.copilot.turn_id': '0',
    },
    span: { scope: 'github.copilot', name: 'chat claude-sonnet-4.5' },
    step: {
      type: 'LLM_CALL',
      costUsd: undefined,
      tokensIn: 100,
      agent: undefined,
      task: { id: 'conv', rank: 1 },
    },
    details: { premiumRequests: 1 },
  },
]);
