import { hash } from 'node:crypto';
import { MARKER } from '../model/marker.ts';
import type { Kind } from './rule.ts';
import { MAX_MATCH } from './rule.ts';

/** RFC 4648 base32 in lower case. */
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
/** 50 bits: two of a million values meet with probability 4 in 10,000. */
const MARKER_LENGTH = 10;
/** 80 bits: what is kept is told from what is shown by its length. */
export const TAG_LENGTH = 16;

/** Put where a field could not be redacted: nothing of the field is shown. */
export const WITHHELD = '[REDACTION_ERROR]';

const SHA256_BLOCK = 64;
const SHA256_LENGTH = 32;
/** Longer values are rare. */
const SCRATCH_TEXT = 1024;

/** Makes markers under one key. */
export class MarkerMaker {
  /** The inner block, and room for most values behind it, which is wiped after use. */
  private readonly scratch = Buffer.alloc(SHA256_BLOCK + SCRATCH_TEXT);
  /** The outer block and the first hash. */
  private readonly outer = Buffer.alloc(SHA256_BLOCK + SHA256_LENGTH);

  private readonly codeLength: number;

  /** @param key at most 64 bytes */
  constructor(key: Uint8Array, codeLength = MARKER_LENGTH) {
    this.codeLength = codeLength;
    for (let i = 0; i < SHA256_BLOCK; i++) {
      this.scratch[i] = (key[i] ?? 0) ^ 0x36;
      this.outer[i] = (key[i] ?? 0) ^ 0x5c;
    }
  }

  /**
   * `[EMAIL:k3f9mzq2ab]`: the kind and a keyed hash of the value, so that one value has one marker everywhere and
   * nobody without the key can find the value by trying.
   */
  make(kind: Kind, value: string): string {
    return this.makeOf(kind, canonical(kind, value));
  }

  /** The same of what has one spelling. */
  makeOf(kind: string, value: string): string {
    const digest = this.hmac(`${kind}\0${value}`);
    let code = '';
    for (let i = 0, bits = 0, held = 0; code.length < this.codeLength;) {
      if (held < 5) {
        bits = ((bits << 8) | digest.charCodeAt(i++)) & 0xffff;
        held += 8;
      }
      held -= 5;
      code += BASE32.charAt((bits >> held) & 31);
    }
    return `[${kind}:${code}]`;
  }

  /**
   * RFC 2104 by two one-shot hashes: cheaper than an Hmac object for texts of this size.
   * @returns a byte in each character, which costs a fifth of a Buffer
   */
  private hmac(text: string): string {
    const length = Buffer.byteLength(text);
    const message =
      length <= SCRATCH_TEXT ? this.scratch.subarray(0, SHA256_BLOCK + length) : this.longMessage(length);
    message.write(text, SHA256_BLOCK);
    const first = hash('sha256', message, 'binary');
    message.fill(0, SHA256_BLOCK);
    this.outer.write(first, SHA256_BLOCK, 'latin1');
    return hash('sha256', this.outer, 'binary');
  }

  private longMessage(length: number): Buffer {
    return Buffer.concat([this.scratch.subarray(0, SHA256_BLOCK)], SHA256_BLOCK + length);
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
      return value.replace(/[\s:.-]/g, '').toUpperCase();
    case 'PERSON':
    case 'ADDRESS':
      return value.toLowerCase().replace(/[\s,.]{1,64}/g, ' ');
    case 'DOB':
    case 'WALLET':
    case 'SECRET':
    case 'OPAQUE':
    case 'CUSTOM':
      return value;
  }
}

/** Places of markers in a text, in order: what this program itself put there, and must not look into again. */
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
