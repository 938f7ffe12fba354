import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { costOf } from './read.ts';

/**
 * GitHub's Copilot CLI: gen_ai, with accounts of its own. `github.copilot.cost` counts premium requests, which are
 * no dollars, so they never become a cost. https://docs.github.com/copilot/concepts/agents/about-copilot-cli
 */
export const copilot: Convention = {
  name: 'copilot',
  signs: { scopePrefixes: ['github.copilot'], keyPrefixes: ['github.copilot.'] },
  interpret,
};

function interpret(span: SafeSpan): PartialStep {
  return { details: { premiumRequests: costOf(span.attributes.get('github.copilot.cost')) } };
}
