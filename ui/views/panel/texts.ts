import type { NodeDetail } from '../../../src/client/browser.ts';

/** How the fields of a node's texts are called, in reading order. */
export const TEXT_NAMES: Readonly<Record<string, string>> = {
  prompt: 'Prompt',
  reasoning: 'Thought',
  completion: 'Answer',
  toolArguments: 'Arguments',
  toolResult: 'Result',
  error: 'Failure',
};

/** The full texts of a node by field, those that are known first. */
export function textsOf({ texts = {} }: NodeDetail): readonly (readonly [string, string])[] {
  const order = Object.keys(TEXT_NAMES);
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return Object.entries(texts)
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '')
    .sort(([a], [b]) => rank(a) - rank(b));
}
