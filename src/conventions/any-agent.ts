import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { costOf, sumOfCosts } from './read.ts';

/** any-agent: gen_ai with the cost in two halves. https://mozilla-ai.github.io/any-agent/ */
export const anyAgent: Convention = {
  name: 'any-agent',
  signs: { keys: ['gen_ai.usage.input_cost', 'gen_ai.usage.output_cost', 'any_agent.version'] },
  interpret,
};

function interpret(span: SafeSpan): PartialStep {
  const input = costOf(span.attributes.get('gen_ai.usage.input_cost'));
  const output = costOf(span.attributes.get('gen_ai.usage.output_cost'));
  return { costUsd: sumOfCosts(input, output) };
}
