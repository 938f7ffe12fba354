import type { ComparedField } from './compare.ts';
import { dollars, duration } from './figures.ts';
import type { ExplanationNode } from './node.ts';

/** What a field of a node is, for people; undefined for a text that stands elsewhere, or is too long for a line. */
export function comparedValue(field: ComparedField, node: ExplanationNode): string | undefined {
  return VALUES[field]?.(node);
}

const UNKNOWN = 'unknown';
const VALUES: Readonly<Partial<Record<ComparedField, (node: ExplanationNode) => string>>> = {
  type: ({ type }) => type,
  agent: ({ agent }) => agent,
  name: ({ name }) => name,
  model: ({ model = UNKNOWN }) => model,
  status: ({ status }) => status,
  state: ({ state }) => state,
  tokensIn: ({ tokensIn = UNKNOWN }) => String(tokensIn),
  tokensOut: ({ tokensOut = UNKNOWN }) => String(tokensOut),
  costUsd: ({ costUsd }) => (costUsd === undefined ? UNKNOWN : dollars(costUsd)),
  latencyMs: ({ latencyMs }) => (latencyMs === undefined ? UNKNOWN : duration(latencyMs)),
};

const WORDS: Readonly<Partial<Record<ComparedField, string>>> = {
  promptSummary: 'prompt summary',
  toolArguments: 'arguments',
  toolResult: 'result',
  tokensIn: 'tokens in',
  tokensOut: 'tokens out',
  costUsd: 'cost',
  latencyMs: 'time',
};

/** The field as people call it. */
export function fieldWords(field: ComparedField): string {
  return WORDS[field] ?? field;
}
