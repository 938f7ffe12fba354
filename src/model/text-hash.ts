import { unitsOf } from '../base/units.ts';

/** Shorter texts ("ok", "12 passed") come up again by chance, so nothing follows from their being equal. */
const MIN_CHARS = 12;
/** Of longer texts the beginning is enough. */
const MAX_CHARS = 4096;
/** The visible characters of the text at hand, of which so many are taken at once. */
const VISIBLE = new Uint16Array(2 * MAX_CHARS);
/** The last of what is not visible in ASCII. */
const BLANK = 0x20;

/**
 * A name for a text by which an output is found again as an input: the same whatever the blanks and line breaks in it.
 * 53 bits: two texts of one task never have the same by chance. Undefined for a text too short to mean anything.
 *
 * @param minChars fewer visible characters mean nothing
 */
export function textHash(text: string, minChars = MIN_CHARS): string | undefined {
  let seen = 0;
  for (let from = 0; from < text.length && seen < MAX_CHARS; from += MAX_CHARS) {
    const piece = text.length <= MAX_CHARS ? text : text.slice(from, from + MAX_CHARS);
    const units = unitsOf(piece);
    // Blanks are left out without a branch, which would be guessed wrong at each word.
    for (let i = 0; i < piece.length; i++) {
      const unit = units[i] as number;
      VISIBLE[seen] = unit;
      seen += (BLANK - unit) >>> 31;
    }
  }
  if (seen < minChars) return undefined;
  let a = 0x5eadbeef;
  let b = 0x41c6ce57;
  const last = Math.min(seen, MAX_CHARS);
  for (let i = 0; i < last; i++) {
    const unit = VISIBLE[i] as number;
    a = Math.imul(a ^ unit, 0x1e3779b1);
    b = ((b << 5) - b + unit) ^ (a >>> 17);
  }
  a = Math.imul(a ^ (a >>> 15), 0x2c1b3c6d) ^ b;
  b = Math.imul(b ^ (b >>> 13), 0x297a2d39) ^ (a >>> 12);
  // Decimal: the engine writes such a number several times faster than one of another base.
  return String((b & 0x1fffff) * 4294967296 + (a >>> 0));
}
