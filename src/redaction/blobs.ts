import { isUtf8 } from 'node:buffer';
import { isHex } from './characters.ts';
import type { Span } from './rule.ts';

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
/** Bytes beyond ASCII that a text may begin with. */
const MAX_FOREIGN = 4;
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

/** @param at within the text */
function valueOf(text: string, at: number): number {
  return VALUES[text.charCodeAt(at)] as number;
}

const NO_BLOBS: readonly Blob[] = [];

/** Everything in `text` that decodes to text, in order. */
export function blobsIn(text: string): readonly Blob[] {
  let found: Blob[] | undefined;
  // Looked at from behind: where a character of no code stands, no run that is long enough has begun before it.
  for (let begin = 0; begin + MIN_BASE64 <= text.length;) {
    let at = begin + MIN_BASE64 - 1;
    while (at >= begin && valueOf(text, at) !== 0) at--;
    if (at >= begin) {
      begin = at + 1;
      continue;
    }
    let end = begin;
    let hasSigns = false;
    for (; end < text.length; end++) {
      const value = valueOf(text, end);
      if (value === 0) break;
      if (value >= FIRST_SIGN) hasSigns = true;
    }
    const run = { start: begin, end };
    if (!pushPieces(text, run, (found ??= [])) && hasSigns) pushParts(text, run, found);
    begin = end + 1;
  }
  return found ?? NO_BLOBS;
}

/** Whether the text ends in an unfinished code that may decode to text. @returns where it starts */
export function openBlob(text: string): number | undefined {
  const last = text.length - 1;
  const run = { start: runStart(text, last), end: runEnd(text, last) };
  if (run.end - run.start < MIN_BASE64) return undefined;
  return beginsReadable(text, run.start) ? run.start : partsOf(text, run)[0]?.start;
}

function runStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && valueOf(text, start - 1) !== 0) start--;
  return start;
}

function runEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && valueOf(text, end) !== 0) end++;
  return end;
}

function pushParts(text: string, run: Span, found: Blob[]): void {
  for (const part of partsOf(text, run)) {
    if (pushPieces(text, part, found) && part.end === run.end) return;
  }
}

/** Those that begin readable. */
function partsOf(text: string, run: Span): readonly Span[] {
  let parts: Span[] | undefined;
  let tried = 0;
  let start = run.start;
  for (let i = run.start; i <= run.end && tried < MAX_PARTS; i++) {
    if (i < run.end && valueOf(text, i) < FIRST_SIGN) continue;
    if (i - start >= MIN_BASE64) {
      tried += i < run.end ? 2 : 1;
      if (beginsReadable(text, start)) {
        parts ??= [];
        parts.push({ start, end: i });
        // The rest may hold signs that belong to it.
        if (i < run.end) parts.push({ start, end: run.end });
      }
    }
    start = i + 1;
  }
  return parts ?? NO_PARTS;
}

const NO_PARTS: readonly Span[] = [];

/** @returns whether the run is text */
function pushPieces(text: string, run: Span, found: Blob[]): boolean {
  if (!beginsReadable(text, run.start)) return false;
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
function beginsReadable(text: string, at: number): boolean {
  return beginsReadableHex(text, at) || beginsReadableBase64(text, at);
}

function beginsReadableBase64(text: string, at: number): boolean {
  let foreign = 0;
  let zeros = 0;
  for (let i = at; i < at + PROBE; i += 4) {
    let bits = 0;
    for (let k = 0; k < 4; k++) bits = (bits << 6) | (valueOf(text, i + k) - 1);
    for (let shift = 16; shift >= 0; shift -= 8) {
      const byte = (bits >> shift) & 0xff;
      if (byte === 0) zeros++;
      else if (!isReadable(byte) && ++foreign > MAX_FOREIGN) return false;
      else if (byte < 32 && !isReadable(byte)) return false;
    }
  }
  return zeros === 0 || zeros === PROBE * 0.375;
}

function beginsReadableHex(text: string, at: number): boolean {
  for (let i = at; i < at + PROBE; i += 2) {
    if (!isHex(text.charCodeAt(i)) || !isHex(text.charCodeAt(i + 1))) return false;
    if (!isReadable(parseInt(text.slice(i, i + 2), 16))) return false;
  }
  return true;
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
