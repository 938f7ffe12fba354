import type { Convention, PartialStep, SafeSpan } from './convention.ts';

/**
 * AutoGen's runtime: a span for each message that is made, sent and taken between agents (`autogen process writer_…`), of
 * which those of the agents and tools, in gen_ai, are the children. https://microsoft.github.io/autogen/
 */
export const autogen: Convention = {
  name: 'autogen',
  signs: { namePrefixes: ['autogen '] },
  interpret,
};

const MESSAGE = /^autogen (?:create|send|publish|receive|intercept|process|ack)\b/;

function interpret({ name, attributes }: SafeSpan): PartialStep {
  return attributes.has('messaging.operation') && MESSAGE.test(name) ? { type: 'OTHER', wrapper: true } : {};
}
