import { isObject } from '../base/json.ts';
import { MAX_ALTERNATIVES, type Alternative } from '../model/thought-tags.ts';
import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { structure } from './json.ts';
import { firstPresent, numberOf, textOf } from './read.ts';

/** The plans that a reasoning agent weighed, and how its ensemble voted (founding spec: candidate plan generation). */
const CANDIDATES = [
  'plan.candidates',
  'reasoning.candidates',
  'reasoning.alternatives',
  'plan.alternatives',
  'candidate.plans',
];
const VOTES = ['plan.votes', 'reasoning.votes', 'ensemble.votes'];
const SCORES = ['plan.scores', 'reasoning.scores'];
const CONFIDENCE = ['plan.confidence', 'reasoning.confidence', 'confidence'];

export const plans: Convention = {
  name: 'plans',
  aside: true,
  signs: { keys: [...CANDIDATES, ...VOTES, ...CONFIDENCE] },
  interpret,
};

function interpret({ attributes: a }: SafeSpan): PartialStep {
  const confidence = numberOf(firstPresent(a, CONFIDENCE));
  return {
    details: {
      alternatives: alternativesOf(
        structure(firstPresent(a, CANDIDATES)),
        structure(firstPresent(a, VOTES)),
        structure(firstPresent(a, SCORES)),
      ),
      confidence: confidence !== undefined && confidence >= 0 && confidence <= 1 ? confidence : undefined,
    },
  };
}

/**
 * @param candidates texts, or objects with a text, votes and a score; by name or in order
 * @param votes of each candidate, in the same order or by its text, name or index
 */
function alternativesOf(
  candidates: unknown,
  votes: unknown,
  scores: unknown,
): readonly Alternative[] | undefined {
  const named =
    entriesOf(candidates) ?? (isObject(votes) ? Object.keys(votes).map((key) => [key, key] as const) : []);
  const alternatives = named
    .slice(0, MAX_ALTERNATIVES)
    .map(([key, candidate], index) => alternativeOf(candidate, key, index, votes, scores))
    .filter((alternative) => Object.keys(alternative).length > 0);
  return alternatives.length === 0 ? undefined : alternatives;
}

function entriesOf(value: unknown): readonly (readonly [key: string, value: unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((item: unknown, index) => [String(index), item]);
  return isObject(value) ? Object.entries(value) : undefined;
}

function alternativeOf(
  candidate: unknown,
  key: string,
  index: number,
  votes: unknown,
  scores: unknown,
): Alternative {
  const own = isObject(candidate) ? candidate : {};
  const text =
    textOf(candidate) ??
    textOf(own['text'] ?? own['plan'] ?? own['content'] ?? own['summary'] ?? own['name']);
  const names = [key, text, textOf(own['id']), textOf(own['name'])];
  const voted = numberOf(own['votes']) ?? figureOf(votes, names, index);
  const score = numberOf(own['score'] ?? own['confidence']) ?? figureOf(scores, names, index);
  return {
    ...(text === undefined ? {} : { text }),
    ...(voted === undefined ? {} : { votes: voted }),
    ...(score === undefined ? {} : { score }),
  };
}

function figureOf(
  figures: unknown,
  names: readonly (string | undefined)[],
  index: number,
): number | undefined {
  if (Array.isArray(figures)) return numberOf(figures[index]);
  if (!isObject(figures)) return undefined;
  for (const name of names)
    if (name !== undefined && Object.hasOwn(figures, name)) return numberOf(figures[name]);
  return undefined;
}
