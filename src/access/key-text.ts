import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** So that people, and programs that look for secrets, know one when they see it. */
export const KEY_PREFIX = 'explain_';
const SECRET_BYTES = 32;
/** 256 bits, and the 32 of the check part, in letters and digits. */
const SECRET_CHARS = 50;
const CHECK_CHARS = 7;
const BASE = 36;

/** A new key: random, with a check part by which one that was cut off or mistyped is told from one that is unknown. */
export function newKeyText(): string {
  const secret = BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`)
    .toString(BASE)
    .padStart(SECRET_CHARS, '0');
  return KEY_PREFIX + secret + checkOf(secret);
}

/** Is it whole? Then it cannot be guessed either: of those that are, one in 2^256 is a given one. */
export function isWholeKey(text: string): boolean {
  const secret = text.slice(KEY_PREFIX.length, -CHECK_CHARS);
  return (
    text.startsWith(KEY_PREFIX) &&
    secret.length === SECRET_CHARS &&
    checkOf(secret) === text.slice(-CHECK_CHARS)
  );
}

/** What is kept of a key. Nothing slower is needed: there is nothing to guess. */
export function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function checkOf(secret: string): string {
  return crc32(secret).toString(BASE).padStart(CHECK_CHARS, '0');
}
