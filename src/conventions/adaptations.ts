import { isObject } from '../base/json.ts';
import { parseAdaptationRef } from '../model/adaptations.ts';
import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { structure } from './json.ts';
import { idOf, wordsOf } from './read.ts';

/**
 * Which adaptations a prompt was made with, in the program's own words: `explain.adaptations` as a list of `id@version`,
 * `adaptation.id` with `adaptation.version`, or `prompt.adaptations` as ThoughtFlow's step of this name.
 */
export const adaptations: Convention = {
  name: 'adaptations',
  signs: { keys: ['explain.adaptations', 'adaptation.id', 'prompt.adaptations'] },
  aside: true,
  interpret,
};

function interpret({ attributes }: SafeSpan): PartialStep {
  const refs = [
    ...(wordsOf(attributes.get('explain.adaptations')) ?? []),
    ...single(attributes.get('adaptation.id'), attributes.get('adaptation.version')),
    ...ofStep(attributes.get('prompt.adaptations')),
  ].filter((ref) => parseAdaptationRef(ref) !== undefined);
  return refs.length === 0 ? {} : { details: { adaptations: [...new Set(refs)] } };
}

function single(id: unknown, version: unknown): readonly string[] {
  const name = idOf(id);
  const number = idOf(version);
  if (name === undefined) return [];
  return [number === undefined ? name : `${name}@${number}`];
}

/** A list of names, or the step's payload with `included_ids`; the text of the adaptations themselves names none. */
function ofStep(value: unknown): readonly string[] {
  const told = structure(value);
  const ids = isObject(told) ? told['included_ids'] : told;
  return Array.isArray(ids) ? (wordsOf(ids) ?? []) : [];
}
