import { unitsOf } from '../base/units.ts';
import { rewritten } from './view.ts';
import type { View } from './view.ts';

/** Invisible, compatibility and look-alike characters that can stand inside a value. */
const SINGLE = String.raw`\p{Default_Ignorable_Code_Point}|[\u00a0\u0131\u0251\u0261\u0370-\u052f\u2000-\u200a\u2010-\u2015\u2024\u202f\u205f\u2212\u24b6-\u24e9\u3000\u3002\ufe50-\ufe6f\uff01-\uff61\u{1d400}-\u{1d7ff}]`;
const DISGUISE = new RegExp(SINGLE, 'gu');
/** Accents written behind their letters, the parts of Korean syllables, and the narrow letters of Japanese. */
const APART = /[\u0300-\u036f\u1161-\u1175\u3099\u309a\uff66-\uff9f]/;
const DISGUISE_APART = new RegExp(
  String.raw`\p{L}[\u0300-\u036f\u3099\u309a]{1,4}|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[\uff66-\uff9d][\uff9e\uff9f]?|${SINGLE}`,
  'gu',
);
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
const DASH = /[\u2010-\u2015\u2212]/;
/** A full stop of other scripts, which domain names take for a dot (UTS 46), and a leader that looks like one. */
const DOT = /[\u2024\u3002\uff61]/;
/** Letters of other scripts that look like ASCII ones, each followed by that one. */
const LOOK_ALIKES = new Map(
  Array.from(
    (
      'аaеeоoрpсcуyхxіiјjѕsԁdһhӏlѵvԛqԝwүyАAВBЕEКKМMНHОOРPСCТTУYХXІIЅSЈJԚQԜWӀIѴV' +
      'οoαaνvρpιiκkυuϲcϳjχxΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXıiɑaɡg'
    ).matchAll(/(.)(.)/gu),
    (pair) => [pair[1] ?? '', pair[2] ?? ''],
  ),
);

/** What a word of Latin letters, or one that only looks so, may hold: letters, and invisible signs between them. */
const LETTER = /[A-Za-z\u0131\u0251\u0261\u0370-\u052f]/;
const BETWEEN = /[\u00ad\u200b-\u200f\u2060\ufeff]/;
const FIRST_ALIKE = 0x131;
const LAST_ALIKE = 0x52f;

/** The text as a reader sees it; undefined when it reads as it is written. */
export function normalise(text: string): View | undefined {
  if (!mayBeDisguised(text)) return undefined;
  let word = { end: 0, isAlike: false };
  return rewritten(text, APART.test(text) ? DISGUISE_APART : DISGUISE, (piece, at) => {
    const unit = piece.charCodeAt(0);
    if (piece.length > 1 || unit < FIRST_ALIKE || unit > LAST_ALIKE || !LOOK_ALIKES.has(piece))
      return plainCharacter(piece);
    if (at >= word.end) word = wordAt(text, at);
    return word.isAlike ? plainCharacter(piece) : piece;
  });
}

/** By UTF-16 unit: PLAIN_UNIT, or DISGUISED where it may be of something that reads otherwise; 0 until one is asked for. */
const UNITS = new Uint8Array(65_536);
const PLAIN_UNIT = 1;
const DISGUISED = 2;
const MAY_DISGUISE = new RegExp(String.raw`${SINGLE}|${APART.source}|\p{Surrogate}`, 'u');

/** Most of what is beyond ASCII reads as it is written. */
function mayBeDisguised(text: string): boolean {
  const units = unitsOf(text);
  const { length } = text;
  for (let i = 0; i < length; i++) {
    const unit = units[i] as number;
    const kind = UNITS[unit] as number;
    if (kind === DISGUISED || (kind === 0 && kindOf(unit) === DISGUISED)) return true;
  }
  return false;
}

function kindOf(unit: number): number {
  return (UNITS[unit] = MAY_DISGUISE.test(String.fromCharCode(unit)) ? DISGUISED : PLAIN_UNIT);
}

/**
 * The word in which the letter at `at` is the first one that looks like a Latin one. A word with letters of its own script
 * that do not, such as `пароль`, is what it is.
 */
function wordAt(text: string, at: number): { readonly end: number; readonly isAlike: boolean } {
  let start = at;
  while (start > 0 && isInWord(text.charAt(start - 1))) start--;
  let end = start;
  let isAlike = true;
  for (; isInWord(text.charAt(end)); end++) {
    const char = text.charAt(end);
    isAlike &&= char.charCodeAt(0) < FIRST_ALIKE || !LETTER.test(char) || LOOK_ALIKES.has(char);
  }
  return { end, isAlike };
}

function isInWord(char: string): boolean {
  return LETTER.test(char) || BETWEEN.test(char);
}

/** What was found out, of a few thousand characters that there are. */
const PLAIN = new Map<string, string>();
const MAX_PLAIN = 10_000;

function plainCharacter(char: string): string {
  let plain = PLAIN.get(char);
  if (plain === undefined) {
    if (PLAIN.size >= MAX_PLAIN) PLAIN.clear();
    PLAIN.set(char, (plain = plainOf(char)));
  }
  return plain;
}

function plainOf(char: string): string {
  if (INVISIBLE.test(char)) return '';
  if (DASH.test(char)) return '-';
  if (DOT.test(char)) return '.';
  const alike = LOOK_ALIKES.get(char);
  if (alike !== undefined) return alike;
  if (APART.test(char)) return char.normalize('NFKC');
  const compatible = char.normalize('NFKC');
  return compatible.length === 1 && compatible.charCodeAt(0) < 128 ? compatible : char;
}
