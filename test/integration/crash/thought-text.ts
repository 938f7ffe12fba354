import assert from 'node:assert/strict';

/** A part of a thought: shown as it is, or never. */
export interface Piece {
  readonly text: string;
  readonly isSecret?: true;
  /** A secret's label: so many characters at its beginning tell nothing, nor do as many at its end. */
  readonly label?: number;
}

export interface Shown {
  readonly who: string;
  readonly pieces: readonly Piece[];
  /** What the service shows. */
  readonly shown: string;
  /** Characters that were acknowledged. */
  readonly sure: number;
  /** Characters that may have arrived: those of a request without an answer among them. */
  readonly perhaps: number;
  /** Its last entry was acknowledged. */
  readonly isDone: boolean;
}

const MARKER = /\[[A-Z][A-Z_]*:[^\]\s]{1,40}\]/g;
/** Stands for whatever is hidden. */
const HIDDEN = '■';
const PIECES = /■(?:\s*■)+/g;
/** So much of a secret that begins may be shown before it can be told from a word. */
const UNTOLD = 5;
/** So many characters of a secret in a row are it. */
const TELLING = 8;

export function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join('');
}

/**
 * Everything acknowledged is there, once and in order, secrets hidden; behind it nothing but what may have arrived.
 * @throws AssertionError that tells where they part
 */
export function checkShown({ who, pieces, shown, sure, perhaps, isDone }: Shown): void {
  // One secret is hidden in several pieces when a restart came within it.
  const found = shown.replaceAll(MARKER, HIDDEN).replaceAll(PIECES, HIDDEN);
  // A mark right behind a value may be the value's own until it is known what follows (RD6).
  const least = isDone ? expected(pieces, sure) : expected(pieces, sure).replace(/(?<=■);$/, '');
  const most = expected(pieces, perhaps);
  const parted = differsAt(found, least);
  assert.equal(
    parted,
    least.length,
    `${who}: ${sure} characters acknowledged; after ${parted} there is ${near(found, parted)} and not ${near(least, parted)}`,
  );
  const rest = found.slice(least.length);
  const isExpected = isDone
    ? rest === ''
    : most.slice(least.length).startsWith(rest) ||
      isBegun(pieces, sure, rest, '') ||
      isBegun(pieces, perhaps, rest, most.slice(least.length));
  assert.ok(isExpected, `${who}: behind what was sent there is ${near(rest, 0)}`);
  checkHidden(who, pieces, shown);
}

/** Of a text that ends within a secret: what is before it. */
function expected(pieces: readonly Piece[], chars: number): string {
  let text = '';
  let left = chars;
  for (const piece of pieces) {
    if (piece.isSecret && left < piece.text.length) break;
    text += piece.isSecret ? HIDDEN : piece.text.slice(0, left);
    left -= piece.text.length;
    if (left <= 0) break;
  }
  return text;
}

/** The end may be the first characters of a secret, or a marker in their place. */
function isBegun(pieces: readonly Piece[], chars: number, rest: string, before: string): boolean {
  let at = 0;
  for (const { text, isSecret, label = 0 } of pieces) {
    if (isSecret && at < chars && at + text.length > chars) {
      // Half a label may be hidden, too; a line break behind the marker may be the secret's own.
      const begun = rest.slice(before.length).replace(/(?<=.)■$/, '');
      const isBegun = begun.trimEnd() === HIDDEN || (begun.length < label + UNTOLD && text.startsWith(begun));
      return rest.startsWith(before) && isBegun;
    }
    at += text.length;
  }
  return false;
}

/** No part of a secret is shown, wherever it was cut. */
function checkHidden(who: string, pieces: readonly Piece[], shown: string): void {
  for (const { text, isSecret, label = 0 } of pieces) {
    if (!isSecret) continue;
    for (let at = label; at + TELLING <= text.length - label; at++)
      assert.ok(
        !shown.includes(text.slice(at, at + TELLING)),
        `${who}: shows characters ${at} and on of a secret`,
      );
  }
}

function differsAt(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}

function near(text: string, at: number): string {
  return at >= text.length ? 'nothing' : JSON.stringify(text.slice(at, at + 60));
}
