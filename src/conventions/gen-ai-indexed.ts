import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { heardIndexed, saidIndexed } from './indexed.ts';

/** The messages of gen_ai as they were before they became JSON: one attribute for each field of each message. */
export const genAiIndexed: Convention = {
  name: 'gen_ai-indexed',
  aside: true,
  signs: { keyPrefixes: ['gen_ai.prompt.', 'gen_ai.completion.'] },
  interpret,
};

function interpret({ attributes }: SafeSpan): PartialStep {
  const said = saidIndexed(attributes, 'gen_ai.completion.');
  return {
    heard: heardIndexed(attributes, 'gen_ai.prompt.'),
    asked: said.calls,
    texts: { completion: said.completion, reasoning: said.reasoning },
    details: { finishReasons: said.finishReasons, requestedToolCallIds: said.toolCallIds },
  };
}
