import type { ArchiveIndex } from '../index/archive-index.ts';
import { isDamage } from '../index/sqlite-archive-index.ts';
import { codeOf, type Say } from './say.ts';

/** An index that failed is tried again after this long. */
const RETRY_MS = 10_000;

/** Whether the index works. While it does not, the log goes on, and nothing is taken out of it. */
export class IndexHealth {
  private readonly say: Say;
  /** Undefined while it works. */
  private failedAt: number | undefined;
  /** What says that it cannot be read for good: loading alone may not come upon it. */
  private damage: Error | undefined;

  constructor(say: Say) {
    this.say = say;
  }

  get isGood(): boolean {
    return this.failedAt === undefined;
  }

  /** For `/readyz`. */
  get problem(): string | undefined {
    return this.isGood
      ? undefined
      : 'the index of the store cannot be used: nodes that left memory cannot be read; see the log';
  }

  failed(error: unknown): void {
    this.failedAt ??= Date.now();
    if (isDamage(error)) this.damage = error;
    this.say('error', { code: codeOf(error) }, 'the index of the store failed; the log itself goes on');
  }

  /** It is time to try it again; also where the clock was set back. */
  isDue(now: number): boolean {
    return this.failedAt !== undefined && Math.abs(now - this.failedAt) > RETRY_MS;
  }

  /** It is tried again. @throws Error when it is known to be damaged */
  tryAgain(): void {
    this.failedAt = undefined;
    if (this.damage) throw this.damage;
  }

  /** Another takes its place. */
  renewed(why: unknown): void {
    this.damage = undefined;
    const fields = { code: codeOf(why) };
    this.say('error', fields, 'the index of the store is damaged: it is made anew from the log');
  }

  /** After an erasure. */
  scrub(index: ArchiveIndex): void {
    try {
      index.scrub();
    } catch (error) {
      this.say(
        'warn',
        { code: codeOf(error) },
        'the write-ahead log of the index is in use: it names what was erased until the service stops',
      );
    }
  }
}
