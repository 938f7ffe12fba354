/** The text as a reader sees it, with the place in the original of each of its characters. */
export interface NormalText {
  readonly text: string;
  /** `origin[i]` is where character i of `text` starts in the original; one more entry for the end. */
  readonly origin: Uint32Array;
}

/** Invisible, compatibility and look-alike characters that can stand inside a value. */
const DISGUISE =
  /\p{Default_Ignorable_Code_Point}|[\u00a0\u0370-\u04ff\u2000-\u200a\u2010-\u2015\u202f\u205f\u2212\u3000\uff01-\uff5e\u{1d400}-\u{1d7ff}]/u;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
/** Cyrillic and Greek letters that look like ASCII ones. */
const LOOK_ALIKES = new Map(
  Array.from(
    'аaеeоoрpсcуyхxіiјjѕsԁdһhАAВBЕEКKМMНHОOРPСCТTХXІIЅSοoαaνvρpΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΧX'.matchAll(
      /(.)(.)/gu,
    ),
    (pair) => [pair[1] ?? '', pair[2] ?? ''],
  ),
);

/** @returns undefined when the text reads as it is written */
export function normalise(text: string): NormalText | undefined {
  if (!DISGUISE.test(text)) return undefined;
  const origin: number[] = [];
  let result = '';
  let at = 0;
  for (const char of text) {
    const plain = plainCharacter(char);
    for (let i = 0; i < plain.length; i++) origin.push(at);
    result += plain;
    at += char.length;
  }
  if (result === text) return undefined;
  origin.push(text.length);
  return { text: result, origin: Uint32Array.from(origin) };
}

function plainCharacter(char: string): string {
  if (char.length === 1 && char.charCodeAt(0) < 128) return char;
  if (INVISIBLE.test(char)) return '';
  if (/[\u2010-\u2015\u2212]/.test(char)) return '-';
  const alike = LOOK_ALIKES.get(char);
  if (alike !== undefined) return alike;
  const compatible = char.normalize('NFKC');
  return compatible.length === 1 && compatible.charCodeAt(0) < 128 ? compatible : char;
}
