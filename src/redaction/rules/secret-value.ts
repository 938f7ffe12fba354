import type { Find, Span } from '../rule.ts';
import { isCode, isPlaceholder, isRandom } from '../validators.ts';
import { isAboutSecrets } from './plain-words.ts';

/** What tells a value of a flag, a header or a sentence from a word about it. */

export const hasMarkOfSecret = (value: string): boolean =>
  value.length >= 6 &&
  /[\d!@#$%^&*+=~]/.test(value) &&
  !isPlaceholder(value) &&
  !isCode(value) &&
  !/^[\d.,:]+$/.test(value);

export const notPlaceholder = (value: string): boolean => !isPlaceholder(value) && !isCode(value);

/** No placeholder or code, and no word about secrets either. */
export const isActualValue = (value: string): boolean => notPlaceholder(value) && !isAboutSecrets(value);

/** Long, of mixed case with several digits, and no id in hex: nothing else is called a key that looks so. */
export const isKeyMaterial = (value: string): boolean =>
  /(?:\d\D*){3}/.test(value) &&
  /[a-z]/.test(value) &&
  /[A-Z]/.test(value) &&
  isRandom(value) &&
  new Set(value).size >= 14 &&
  !isPlaceholder(value);

/** The same, or the hex digits of a key; hashes look so as well, so it must stand where none does. No id and no address. */
export const isMachineMade = (value: string): boolean =>
  !/^0x|^[a-f\d]{8}(?:-[a-f\d]{4}){3}-/i.test(value) &&
  (isKeyMaterial(value) || (IN_ONE_CASE.test(value) && isRandom(value) && !isPlaceholder(value)));

/** Hex, or lower case with digits in five places at least. */
const IN_ONE_CASE =
  /^(?:[a-f\d]{32,128}|[A-F\d]{32,128}|(?=(?:[a-z]{0,24}\d){5})(?=[a-f\d]{0,24}[g-z])[a-z\d]{24,128})$/;

/** The same, without the end of the sentence. */
export function trimEnd(find: Find): Find {
  const trimmed = (text: string, at: number): Span | undefined => {
    const span = find(text, at);
    if (!span) return undefined;
    const tail = /[.:!?]{1,3}$/.exec(text.slice(span.start, span.end));
    return tail ? { start: span.start, end: span.end - tail[0].length } : span;
  };
  return Object.assign(trimmed, { isOpen: find.isOpen });
}
