import { rewritten } from './view.ts';
import type { View } from './view.ts';

/** Invisible, compatibility and look-alike characters that can stand inside a value. */
const DISGUISE =
  /\p{Default_Ignorable_Code_Point}|[\u00a0\u0131\u0251\u0261\u0370-\u052f\u2000-\u200a\u2010-\u2015\u2024\u202f\u205f\u2212\u24b6-\u24e9\u3000\u3002\ufe50-\ufe6f\uff01-\uff61\u{1d400}-\u{1d7ff}]/gu;
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

/** The text as a reader sees it; undefined when it reads as it is written. */
export function normalise(text: string): View | undefined {
  return rewritten(text, DISGUISE, plainCharacter);
}

/** What was found out, of a few thousand characters that there are. */
const PLAIN = new Map<string, string>();

function plainCharacter(char: string): string {
  let plain = PLAIN.get(char);
  if (plain === undefined) PLAIN.set(char, (plain = plainOf(char)));
  return plain;
}

function plainOf(char: string): string {
  if (INVISIBLE.test(char)) return '';
  if (DASH.test(char)) return '-';
  if (DOT.test(char)) return '.';
  const alike = LOOK_ALIKES.get(char);
  if (alike !== undefined) return alike;
  const compatible = char.normalize('NFKC');
  return compatible.length === 1 && compatible.charCodeAt(0) < 128 ? compatible : char;
}
