import { firstLine } from './one-line.ts';

/** Longest title of a node or a task, in UTF-16 units. */
const MAX_TITLE_CHARS = 120;

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
