import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  randomFillSync,
  type KeyObject,
} from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** A nonce is a random beginning and a count behind it: two of a key meet only if two processes draw the same 64 bits. */
const COUNT_AT = 8;
const MAX_COUNT = 0xffff_ffff;

/** Encrypts the raw end of a thought, which redaction needs to continue after a restart and which leaves the door. */
export class ContextSeal {
  /** A KeyObject: raw key bytes would be imported for each seal, which takes longer than sealing. */
  private readonly key: KeyObject;
  private readonly nonce = Buffer.alloc(NONCE_BYTES);
  private count = MAX_COUNT;

  /** @param key 32 bytes */
  constructor(key: Uint8Array) {
    this.key = createSecretKey(key);
  }

  /** @param owner bound to it: it opens for the same one only */
  close(text: string, owner: string): string {
    const nonce = this.nextNonce();
    const cipher = createCipheriv(ALGORITHM, this.key, nonce);
    cipher.setAAD(Buffer.from(owner));
    const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString('base64');
  }

  /** @returns undefined for what was not sealed so, or with another key */
  open(sealed: string, owner: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    try {
      const decipher = createDecipheriv(ALGORITHM, this.key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(owner));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return (
        decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      );
    } catch {
      return undefined;
    }
  }

  private nextNonce(): Buffer {
    if (this.count === MAX_COUNT) {
      randomFillSync(this.nonce);
      this.count = 0;
    }
    this.nonce.writeUInt32BE(this.count++, COUNT_AT);
    return this.nonce;
  }
}
