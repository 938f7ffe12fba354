import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../../base/json.ts';
import { TOLD, TOLD_KEY } from '../../model/mew.ts';

const KEY_BYTES = 32;
const SEAL_HEX_DIGITS = 32;
const FILE = 'mew-seal.key';

/**
 * Knows the messages again that this service said, whoever brings them: the gateway's echo, or its log that somebody posts.
 * Not by their sender, whom anybody may claim to be: each has a seal, a function of its id that nobody else can make.
 */
export class OwnMessages {
  private key: Buffer = randomBytes(KEY_BYTES);

  /**
   * Takes the key of earlier runs. @param isSaying it is made where there is none
   * @throws Error when the folder cannot be used
   */
  open(dataDir: string, isSaying: boolean): void {
    const path = join(dataDir, FILE);
    try {
      const found = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex');
      if (found.length === KEY_BYTES) {
        this.key = found;
        return;
      }
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'ENOENT') throw error;
    }
    if (isSaying) writeFileSync(path, `${this.key.toString('hex')}\n`, { mode: 0o600 });
  }

  sealed<Message extends { readonly id: string; readonly payload: JsonObject }>(message: Message): Message {
    const told = message.payload[TOLD_KEY];
    const payload = {
      ...message.payload,
      [TOLD_KEY]: { ...(isObject(told) ? told : {}), [TOLD.seal]: this.sealOf(message.id) },
    };
    return { ...message, payload };
  }

  has({ id, payload }: { readonly id: string; readonly payload: JsonObject }): boolean {
    const told = payload[TOLD_KEY];
    const seal = isObject(told) ? told[TOLD.seal] : undefined;
    if (typeof seal !== 'string' || seal.length !== SEAL_HEX_DIGITS) return false;
    const [given, own] = [Buffer.from(seal), Buffer.from(this.sealOf(id))];
    return given.length === own.length && timingSafeEqual(given, own);
  }

  private sealOf(id: string): string {
    return createHmac('sha256', this.key).update(id).digest('hex').slice(0, SEAL_HEX_DIGITS);
  }
}
