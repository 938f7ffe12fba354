import { cutBefore } from './marker.ts';

/** Names, ids, models and other words of `details`: longer ones are mistakes or attacks, and nodes stay small. */
export const MAX_NAME_CHARS = 256;

/** Spec 4.1: a prompt summary has at most 200 characters. */
export const MAX_SUMMARY_CHARS = 200;

/** Line breaks, and what is not shown as the blanks it takes. */
const BREAK = /[\t-\r\u0085\u2028\u2029]|  /;

/** A text on one line: each run of blanks and line breaks is one blank, and none stands at the ends. */
export function oneLine(text: string): string {
  // Most texts are on one line already, and to look is several times faster than to replace.
  return (BREAK.test(text) ? text.replace(/[\s\u0085]{2,}|[^\S ]|\u0085/g, ' ') : text).trim();
}

/** Cut to at most `max` UTF-16 units, with `…` as the last one when cut; no code point and no marker is cut in two. */
export function clip(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, cutBefore(text, max - 1))}…`;
}

/** The beginning of a text on one line of at most `max` UTF-16 units; however long the text is. */
export function firstLine(text: string, max: number): string {
  return clip(oneLine(text.length > max * 4 ? text.slice(0, cutBefore(text, max * 4)) : text), max);
}
