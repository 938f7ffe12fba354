import { stripVTControlCharacters } from 'node:util';

/** What every terminal shows one cell wide. */
const SIMPLE = /^[\x20-\x7e]*$/;
/**
 * Taken out, because terminals disagree about it or because it deceives: format characters (bidirectional
 * overrides, joiners, tags), the selectors of emoji and their skin tones.
 */
const INVISIBLE = /[\p{Cf}\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}\p{Emoji_Modifier}]/gu;
const LINE_BREAKS_AND_CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
const CONTROLS_BUT_BREAKS = /[^\P{Cc}\n]+/gu;
/** Combining marks, and the Hangul letters that join the one before them. */
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\u1160-\u11ff]$/u;
/** East Asian Width W and F (Unicode, UAX 11), the emoji apart. */
const EAST_ASIAN_WIDE =
  /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2fb}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]$/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;
/** Flags are written as two of these; each takes one cell. */
const REGIONAL_INDICATOR = /^\p{Regional_Indicator}$/u;

/** Text of records as one line that a terminal shows and never obeys. */
export function plainText(text: string): string {
  return SIMPLE.test(text) ? text : safe(text).replace(LINE_BREAKS_AND_CONTROLS, ' ');
}

/** The same with its line breaks. */
export function plainLines(text: string): readonly string[] {
  return safe(text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replaceAll('\t', '    '))
    .replace(CONTROLS_BUT_BREAKS, ' ')
    .split('\n');
}

function safe(text: string): string {
  return stripVTControlCharacters(text.toWellFormed()).replace(INVISIBLE, '');
}

/** How many cells a text takes that went through `plainText`. */
export function displayWidth(text: string): number {
  if (SIMPLE.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

/** The text in at most so many cells; what is left out is marked. */
export function cutToWidth(text: string, width: number): string {
  if (text.length <= width && SIMPLE.test(text)) return text;
  if (width <= 0) return '';
  let used = 0;
  let kept = '';
  let room = '';
  for (const char of text) {
    used += charWidth(char);
    if (used > width) return `${room}…`;
    kept += char;
    // As far as this the mark still fits behind it.
    if (used < width) room = kept;
  }
  return kept;
}

/** The same with both its ends, as of ids that begin alike. */
export function cutInTheMiddle(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const end = headOf(reversed(text), Math.floor((width - 1) / 2));
  return `${headOf(text, width - 1 - displayWidth(end))}…${reversed(end)}`;
}

function reversed(text: string): string {
  return Array.from(text).reverse().join('');
}

/** Lines of at most so many cells, broken at blanks where there are some. */
export function wrapToWidth(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const [part] of text.matchAll(/\s+|\S+/g)) {
    let rest = part;
    while (used + displayWidth(rest) > width) {
      const fits = rest.trim() !== '' && used > 0 ? '' : headOf(rest, width - used);
      lines.push((line + fits).trimEnd());
      rest = rest.slice(fits.length).trimStart();
      line = '';
      used = 0;
    }
    line += rest;
    used += displayWidth(rest);
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

/** As much of the beginning as fits, and at least one character. */
function headOf(text: string, width: number): string {
  let head = '';
  let used = 0;
  for (const char of text) {
    used += charWidth(char);
    if (used > width && head !== '') return head;
    head += char;
  }
  return head;
}

function charWidth(char: string): number {
  if (char <= '\u02ff') return 1;
  if (ZERO_WIDTH.test(char)) return 0;
  if (REGIONAL_INDICATOR.test(char)) return 1;
  return EAST_ASIAN_WIDE.test(char) || EMOJI.test(char) ? 2 : 1;
}
