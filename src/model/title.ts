import { hasFailed } from './failure.ts';
import type { ExplanationNode } from './node.ts';
import { clip, firstLine } from './one-line.ts';

/** Longest title of a node or a task, in UTF-16 units. */
const MAX_TITLE_CHARS = 120;
/** In a line that says more of a step. */
const MAX_CALLED_CHARS = 60;

/** A prompt as people would quote it: undefined for one that is JSON. */
export function askedLine(promptSummary: string | undefined): string | undefined {
  return promptSummary !== undefined && /^[[{]/.test(promptSummary) ? undefined : promptSummary;
}

/** A text as a title: its beginning on one line, no marker cut in two; undefined where nothing is visible in it. */
export function titleLine(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const line = firstLine(text, MAX_TITLE_CHARS);
  return line === '' ? undefined : line;
}

/** What tells a step from others in a line about it: its title; of what failed its name, as its title is why it failed. */
export function calledLine(node: ExplanationNode): string {
  const { title, name, type } = node;
  const words = hasFailed(node) ? name : title;
  return clip(titleLine(words) ?? titleLine(name) ?? type, MAX_CALLED_CHARS);
}
