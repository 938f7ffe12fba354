import { hash } from 'node:crypto';
import type { Kind } from './rule.ts';
import { MAX_MATCH } from './rule.ts';

/** RFC 4648 base32 in lower case. */
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
/** 50 bits: two of a million values meet with probability 4 in 10,000. */
const TAG_LENGTH = 10;

/** Put where a field could not be redacted: nothing of the field is shown. */
export const WITHHELD = '[REDACTION_ERROR]';

/** What this program itself put into a text, and must not look into again. */
const MARKER = /\[(?:[A-Z_]{2,16}:[a-z2-7]{10}|REDACTION_ERROR|CODE_CUT:\d{1,12})\]/g;

const SHA256_BLOCK = 64;

/** Makes markers under one key. */
export class MarkerMaker {
  private readonly inner: Uint8Array;
  private readonly outer: Uint8Array;

  /** @param key at most 64 bytes */
  constructor(key: Uint8Array) {
    const block = new Uint8Array(SHA256_BLOCK);
    block.set(key);
    this.inner = block.map((byte) => byte ^ 0x36);
    this.outer = block.map((byte) => byte ^ 0x5c);
  }

  /**
   * `[EMAIL:k3f9mzq2ab]`: the kind and a keyed hash of the value, so that one value has one marker everywhere and
   * nobody without the key can find the value by trying.
   */
  make(kind: Kind, value: string): string {
    const digest = this.hmac(`${kind}\0${canonical(kind, value)}`);
    let tag = '';
    for (let i = 0, bits = 0, held = 0; tag.length < TAG_LENGTH;) {
      if (held < 5) {
        bits = ((bits << 8) | (digest[i++] ?? 0)) & 0xffff;
        held += 8;
      }
      held -= 5;
      tag += BASE32.charAt((bits >> held) & 31);
    }
    return `[${kind}:${tag}]`;
  }

  /** RFC 2104 by two one-shot hashes: cheaper than an Hmac object for texts of this size. */
  private hmac(text: string): Buffer {
    const first = hash('sha256', Buffer.concat([this.inner, Buffer.from(text)]), 'buffer');
    return hash('sha256', Buffer.concat([this.outer, first]), 'buffer');
  }
}

/** Spellings of one value become one: case of mail addresses, separators of numbers. */
function canonical(kind: Kind, value: string): string {
  switch (kind) {
    case 'EMAIL':
    case 'IP':
      return value.toLowerCase();
    case 'PHONE':
    case 'CARD':
    case 'SSN':
      return value.replace(/\D/g, '');
    case 'IBAN':
    case 'MAC':
      return value.replace(/[\s:-]/g, '').toUpperCase();
    case 'DOB':
    case 'SECRET':
    case 'CUSTOM':
      return value;
  }
}

/** Places of markers in a text, in order. */
export function markersIn(text: string): readonly { readonly start: number; readonly end: number }[] {
  if (!text.includes('[')) return [];
  return Array.from(text.matchAll(MARKER), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}

export function isMarker(text: string): boolean {
  if (text.length > MAX_MATCH || !text.startsWith('[')) return false;
  const first = markersIn(text)[0];
  return first !== undefined && first.start === 0 && first.end === text.length;
}
