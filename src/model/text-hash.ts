/** Shorter texts ("ok", "12 passed") come up again by chance, so nothing follows from their being equal. */
const MIN_CHARS = 12;
/** Of longer texts the beginning is enough. */
const MAX_CHARS = 4096;

/**
 * A name for a text by which an output is found again as an input: the same whatever the blanks and line breaks in it.
 * 53 bits: two texts of one task never have the same by chance. Undefined for a text too short to mean anything.
 *
 * @param minChars fewer visible characters mean nothing
 */
export function textHash(text: string, minChars = MIN_CHARS): string | undefined {
  const length = text.length;
  let a = 0x5eadbeef;
  let b = 0x41c6ce57;
  let seen = 0;
  // The inner loop runs over all texts of all calls: no more in it than must be.
  for (let i = 0; i < length && seen < MAX_CHARS;) {
    const end = Math.min(length, i + MAX_CHARS - seen);
    for (; i < end; i++) {
      const code = text.charCodeAt(i);
      if (code <= 0x20) continue;
      seen++;
      a = Math.imul(a ^ code, 0x1e3779b1);
      b = ((b << 5) - b + code) ^ (a >>> 17);
    }
  }
  if (seen < minChars) return undefined;
  a = Math.imul(a ^ (a >>> 15), 0x2c1b3c6d) ^ b;
  b = Math.imul(b ^ (b >>> 13), 0x297a2d39) ^ (a >>> 12);
  // Decimal: the engine writes such a number several times faster than one of another base.
  return String((b & 0x1fffff) * 4294967296 + (a >>> 0));
}
