import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';

/** AES-256-GCM (NIST SP 800-38D). */
const CIPHER = 'aes-256-gcm';
export const KEY_BYTES = 32;
/** 96 bits, chosen at random: safe for 2^32 messages under one key, far more than one task brings. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** @param bound what the text belongs to: it opens under the same words only @returns base64 of nonce, tag and cipher text */
export function seal(key: Uint8Array | KeyObject, bound: readonly string[], plain: Uint8Array): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(additionalData(bound));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
}

/** undefined when it was sealed under another key or for something else, or was changed since. */
export function unseal(
  key: Uint8Array | KeyObject,
  bound: readonly string[],
  sealed: string,
): Buffer | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(additionalData(bound));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** JSON keeps the words apart: no two lists of words give the same bytes. */
function additionalData(bound: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(bound));
}
