import { isUtf8 } from 'node:buffer';
import { isDigit, isHex } from './characters.ts';
import type { Span } from './rule.ts';
import { unitsOf } from '../base/units.ts';

/**
 * Text inside base64, base64url or hex. A place is looked at closer only when so many characters of the alphabet
 * stand in a row, and decoded whole only when its beginning decodes to readable characters: of random keys,
 * hashes and pictures one in thousands does.
 */
export interface Blob extends Span {
  /** What the characters in [start, end) say. */
  readonly text: string;
}

/** Twelve bytes: nothing that a rule finds has a shorter code that means anything. */
const MIN_BASE64 = 16;
const MIN_HEX = 24;
/** As many characters are decoded to see whether it is text. */
const PROBE = 16;
/** A longer run is decoded in pieces, so that memory stays bounded. Divisible by 4. */
const MAX_PIECE = 262_144;
/** So much of the piece before is decoded again: a value can lie across the border. Divisible by 4. */
const OVERLAP = 8192;
/** Parts of a run between signs that are tried when the whole run is no text: `/reset/<code>`, `prefix-<code>`. */
const MAX_PARTS = 8;

/**
 * What a UTF-16 unit counts in base64 and base64url, plus one; 0: it is of neither. The last four separate words, too.
 * It has every unit, so that looking one up needs no comparison.
 */
const VALUES = new Uint8Array(65_536);
Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', (char, value) => {
  VALUES[char.charCodeAt(0)] = value + 1;
});
VALUES['-'.charCodeAt(0)] = 63;
VALUES['_'.charCodeAt(0)] = 64;
const FIRST_SIGN = 63;

const EQUALS = 61;

function valueOf(units: Uint16Array, at: number): number {
  return VALUES[units[at] as number] as number;
}

const NO_BLOBS: readonly Blob[] = [];

/** Everything in `text` that decodes to text, in order. */
export function blobsIn(text: string): readonly Blob[] {
  const { length } = text;
  if (length < MIN_BASE64) return NO_BLOBS;
  const units = unitsOf(text);
  let found: Blob[] | undefined;
  // Looked at from behind: where a character of no code stands, no run that is long enough has begun before it.
  for (let begin = 0; begin + MIN_BASE64 <= length;) {
    let at = begin + MIN_BASE64 - 1;
    while (at >= begin && valueOf(units, at) !== 0) at--;
    if (at >= begin) {
      begin = at + 1;
      continue;
    }
    const run = { start: begin, end: runEnd(units, begin + MIN_BASE64) };
    for (const part of readableParts(units, run)) {
      if (pushPieces(text, part, (found ??= [])) && part.end === run.end) break;
    }
    begin = run.end + 1;
  }
  return found ?? NO_BLOBS;
}

/** Whether the text ends in an unfinished code that may decode to text. @returns where it starts */
export function openBlob(text: string): number | undefined {
  let start = Math.max(0, text.length - 1);
  while (start > 0 && VALUES[text.charCodeAt(start - 1)] !== 0) start--;
  if (text.length - start < MIN_BASE64) return undefined;
  const units = unitsOf(text.slice(start));
  const end = runEnd(units, 0);
  const first = end < MIN_BASE64 ? undefined : readableParts(units, { start: 0, end })[0];
  return first && start + first.start;
}

function runEnd(units: Uint16Array, at: number): number {
  let end = at;
  while (valueOf(units, end) !== 0) end++;
  return end;
}

/** What begins readable: the run, and then its parts between signs. */
function readableParts(units: Uint16Array, run: Span): readonly Span[] {
  let parts: Span[] | undefined;
  let tried = 0;
  let { start } = run;
  if (beginsReadable(units, start)) parts = [run];
  for (let i = start; i <= run.end && tried < MAX_PARTS; i++) {
    if (i < run.end && valueOf(units, i) < FIRST_SIGN) continue;
    if (i - start >= MIN_BASE64) {
      tried += i < run.end ? 2 : 1;
      if (beginsReadable(units, start)) {
        parts ??= [];
        if (i < run.end) parts.push({ start, end: i });
        // The rest may hold signs that belong to it.
        if (start > run.start) parts.push({ start, end: run.end });
      }
    }
    start = i + 1;
  }
  return parts ?? NO_PARTS;
}

const NO_PARTS: readonly Span[] = [];

/** @returns whether the run is text */
function pushPieces(text: string, run: Span, found: Blob[]): boolean {
  let isText = false;
  for (let from = run.start; from < run.end; from += MAX_PIECE) {
    const piece = { start: Math.max(run.start, from - OVERLAP), end: Math.min(from + MAX_PIECE, run.end) };
    const decoded = decodedFrom(text, piece);
    if (decoded === undefined) continue;
    isText = true;
    let { end } = piece;
    while (end < text.length && end < piece.end + 2 && text.charCodeAt(end) === EQUALS) end++;
    found.push({ start: piece.start, end, text: decoded });
  }
  return isText;
}

/** Whether the first characters from `at`, of which MIN_BASE64 are of the alphabet, decode to something readable. */
function beginsReadable(units: Uint16Array, at: number): boolean {
  return beginsReadableHex(units, at) || beginsReadableBase64(units, at);
}

function beginsReadableBase64(units: Uint16Array, at: number): boolean {
  let rest = 0;
  let zeros = 0;
  for (let i = at; i < at + PROBE; i += 4) {
    let bits = 0;
    for (let k = 0; k < 4; k++) bits = (bits << 6) | (valueOf(units, i + k) - 1);
    for (let shift = 16; shift >= 0; shift -= 8) {
      const byte = (bits >> shift) & 0xff;
      if (byte === 0) zeros++;
      else if ((rest = restOfCharacter(byte, rest)) < 0) return false;
    }
  }
  return zeros === 0 || zeros === PROBE * 0.375;
}

function beginsReadableHex(units: Uint16Array, at: number): boolean {
  let rest = 0;
  for (let i = at; i < at + PROBE; i += 2) {
    const high = hexOf(units[i] as number);
    const low = hexOf(units[i + 1] as number);
    if (high < 0 || low < 0 || (rest = restOfCharacter(high * 16 + low, rest)) < 0) return false;
  }
  return true;
}

/** Of the character of UTF-8 that `byte` belongs to: how many bytes follow; -1 where it is none of a readable text. */
function restOfCharacter(byte: number, rest: number): number {
  if (rest > 0) return byte >> 6 === 2 ? rest - 1 : -1;
  if (byte < 0x80) return isReadable(byte) ? 0 : -1;
  if (byte < 0xc2 || byte > 0xf4) return -1;
  return byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
}

function hexOf(unit: number): number {
  if (!isHex(unit)) return -1;
  return isDigit(unit) ? unit - 48 : (unit & 31) + 9;
}

/** Of ASCII, and no control character but white space. */
function isReadable(byte: number): boolean {
  return (byte >= 32 && byte < 0x7f) || byte === 9 || byte === 10 || byte === 13;
}

function decodedFrom(text: string, { start, end }: Span): string | undefined {
  const code = text.slice(start, end);
  return (
    (isHexCode(code) ? readable(Buffer.from(code, 'hex')) : undefined) ??
    readable(Buffer.from(code, 'base64'))
  );
}

function isHexCode(code: string): boolean {
  if (code.length % 2 !== 0 || code.length < MIN_HEX) return false;
  for (let i = 0; i < code.length; i++) if (!isHex(code.charCodeAt(i))) return false;
  return true;
}

const CONTROL = /[^\P{Cc}\t\n\r]/u;

/** The bytes as text, if they are some: UTF-8, or UTF-16 as PowerShell encodes its commands. */
function readable(bytes: Buffer): string | undefined {
  if (bytes.length >= 4 && bytes[1] === 0 && bytes[3] === 0) {
    const wide = bytes.toString('utf16le');
    return CONTROL.test(wide) ? undefined : wide;
  }
  // A code that was cut leaves a broken last character.
  const whole = withoutTornEnd(bytes);
  if (!isUtf8(whole)) return undefined;
  const text = whole.toString('utf8');
  return CONTROL.test(text) ? undefined : text;
}

/** UTF-8 characters have at most four bytes; the lead byte says how many. */
function withoutTornEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) return bytes.subarray(0, bytes.length - back);
  }
  return bytes;
}
