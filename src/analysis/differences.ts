import { COMPARED_FIGURES, COMPARED_TEXTS, COMPARED_WORDS, type ComparedField } from '../model/compare.ts';
import type { StepTexts } from '../model/facts.ts';
import type { ExplanationNode } from '../model/node.ts';
import { withoutCodes } from './likeness.ts';

/** What two nodes differ in. Two that are both unknown are equal. */
export function differingFields(a: ExplanationNode, b: ExplanationNode): ComparedField[] {
  return [
    ...COMPARED_WORDS.filter((field) => !isSameText(a[field], b[field])),
    ...COMPARED_FIGURES.filter((field) => a[field] !== b[field]),
  ];
}

export function differingTexts(a: StepTexts, b: StepTexts): ComparedField[] {
  return COMPARED_TEXTS.filter((field) => !isSameText(a[field], b[field]));
}

/** Markers of one kind are the same where they stand for the same within their texts. */
function isSameText(a: string | undefined, b: string | undefined): boolean {
  if (a === b) return true;
  // Markers of one kind are of one length.
  if (a?.length !== b?.length || a === undefined || b === undefined) return false;
  return withoutCodes(a) === withoutCodes(b);
}
