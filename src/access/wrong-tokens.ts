import type { Clock } from '../base/clock.ts';
import { TokenBucket } from '../base/token-bucket.ts';
import { networkOf } from './network-of.ts';

/** Wrong tokens at once, of an address; as many are forgiven in this time. */
const AT_ONCE = 20;
const FORGIVEN_MS = 20_000;
/** About 3 MB. Who was heard of longest ago is forgotten first. */
const MAX_ADDRESSES = 10_000;
/** A peer that is gone already. */
const UNKNOWN = 'unknown';

interface Source {
  readonly bucket: TokenBucket;
  /** It showed a right token before. */
  isKnown: boolean;
  isSlowed: boolean;
}

/** Slows down who tries tokens, by address; what others do is untouched. */
export class WrongTokens {
  private readonly clock: Clock;
  private readonly sources = new Map<string, Source>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** May a token that could be guessed not even be looked at? Never so where a right one was shown before. */
  isSlowed(address: string | undefined): boolean {
    const source = this.sources.get(networkOf(address ?? UNKNOWN));
    if (!source || source.isKnown || !source.isSlowed) return false;
    source.isSlowed = !source.bucket.take();
    return source.isSlowed;
  }

  right(address: string | undefined): void {
    this.get(address).isKnown = true;
  }

  /** @returns whether it was one too many */
  wrong(address: string | undefined): boolean {
    const source = this.get(address);
    source.isSlowed = !source.bucket.take();
    return source.isSlowed;
  }

  private get(address: string | undefined): Source {
    const key = networkOf(address ?? UNKNOWN);
    const source = this.sources.get(key) ?? {
      bucket: new TokenBucket(AT_ONCE, FORGIVEN_MS, this.clock),
      isKnown: false,
      isSlowed: false,
    };
    this.sources.delete(key);
    this.sources.set(key, source);
    const [oldest] = this.sources.keys();
    if (this.sources.size > MAX_ADDRESSES && oldest !== undefined) this.sources.delete(oldest);
    return source;
  }
}
