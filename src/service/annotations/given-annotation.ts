import {
  ANNOTATION_KINDS,
  DECISIONS,
  MAX_ANNOTATION_CHARS,
  VERDICTS,
  type AnnotationKind,
  type Decision,
  type Verdict,
} from '../../model/annotation.ts';
import { textIn, wrong, type Given } from '../given.ts';

/** What somebody has to say of a step, checked. */
export interface GivenAnnotation {
  readonly kind: AnnotationKind | 'withdrawal';
  readonly text?: string | undefined;
  readonly verdict?: Verdict | undefined;
  readonly decision?: Decision | undefined;
  readonly option?: string | undefined;
  /** The annotation that this one is in place of, or withdraws. */
  readonly replaces?: string | undefined;
}

const ID = /^[0-9a-f]{32}$/;

/**
 * `{kind, text?, verdict?, decision?, option?, replaces?}`.
 * @throws BoundaryError INVALID_ARGUMENT, naming the field
 */
export function givenAnnotation(given: Given): GivenAnnotation {
  const kind = oneOf(given, 'kind', [...ANNOTATION_KINDS, 'withdrawal']);
  const text = textIn(given, 'text', MAX_ANNOTATION_CHARS);
  const replaces = textIn(given, 'replaces');
  if (replaces !== undefined && !ID.test(replaces))
    throw wrong('replaces', 'must be the id of an annotation');
  switch (kind) {
    case 'note':
    case 'question':
      if (text === undefined) throw wrong('text', `is required: what a ${kind} says`);
      return { kind, text, replaces };
    case 'verdict':
      return { kind, text, replaces, verdict: oneOf(given, 'verdict', VERDICTS) };
    case 'approval':
      if (replaces !== undefined)
        throw wrong('replaces', 'is not for an approval: withdraw the note or verdict separately');
      return { kind, text, decision: oneOf(given, 'decision', DECISIONS), option: textIn(given, 'option') };
    case 'withdrawal':
      if (replaces === undefined) throw wrong('replaces', 'is required: the id of what you withdraw');
      return { kind, text, replaces };
  }
}

function oneOf<T extends string>(given: Given, field: string, words: readonly T[]): T {
  const word = words.find((one) => one === given[field]);
  if (word === undefined) throw wrong(field, `must be one of ${words.join(', ')}`);
  return word;
}
