import { MAX_SUMMARY_CHARS, clip, oneLine } from '../model/one-line.ts';

/** Looked at first: nearly always enough, as few texts begin with much white space. */
const FIRST_WINDOW = MAX_SUMMARY_CHARS + 64;
/** Looked at when that held mostly white space; keeps the work independent of the text's size. */
const WIDE_WINDOW = MAX_SUMMARY_CHARS * 16;

/** At most 200 characters on one line; undefined when nothing visible is left. */
export function summarise(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  let folded = oneLine(text.slice(0, FIRST_WINDOW));
  if (text.length > FIRST_WINDOW) {
    if (folded.length <= MAX_SUMMARY_CHARS) folded = oneLine(text.slice(0, WIDE_WINDOW));
    if (text.length > WIDE_WINDOW && folded.length <= MAX_SUMMARY_CHARS && folded !== '') folded += ' …';
  }
  return folded === '' ? undefined : clip(folded, MAX_SUMMARY_CHARS);
}
