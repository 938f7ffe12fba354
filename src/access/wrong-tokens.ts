import type { Clock } from '../base/clock.ts';
import { TokenBucket } from '../base/token-bucket.ts';
import { networkOf } from './network-of.ts';

/** Wrong tokens at once, of an address; as many are forgiven in this time. */
const AT_ONCE = 20;
const FORGIVEN_MS = 20_000;
/**
 * Where a right token was shown, so many wrong ones keep nobody there from showing it again: others may sit behind the same
 * proxy. As many are forgiven in a day: too few to find a token of eight random letters in a thousand years.
 */
const AT_ONCE_WHERE_RIGHT = 10_000;
const DAY_MS = 86_400_000;
/** Wrong tokens that an address sends over and over, as programs do that have an old one: those are no guesses. */
const MAX_REPEATED = 16;
/** About 3 MB. Who was heard of longest ago is forgotten first. */
const MAX_ADDRESSES = 10_000;
/** A peer that is gone already. */
const UNKNOWN = 'unknown';

interface Source {
  readonly bucket: TokenBucket;
  /** Where a right token was shown: the guesses that are looked at all the same, and those that were made last. */
  trusted?: { readonly guesses: TokenBucket; readonly last: Set<string> };
  isSlowed: boolean;
}

/** Slows down who tries tokens, by address; what others do is untouched. */
export class WrongTokens {
  private readonly clock: Clock;
  private readonly sources = new Map<string, Source>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** May a token that could be guessed not even be looked at? */
  isSlowed(address: string | undefined): boolean {
    const source = this.sources.get(networkOf(address ?? UNKNOWN));
    if (!source?.isSlowed) return false;
    source.isSlowed = !source.bucket.take();
    return source.isSlowed;
  }

  right(address: string | undefined): void {
    this.get(address).trusted ??= {
      guesses: new TokenBucket(AT_ONCE_WHERE_RIGHT, DAY_MS, this.clock),
      last: new Set(),
    };
  }

  /** @param digest of the token @returns whether it was one too many */
  wrong(address: string | undefined, digest: string): boolean {
    const source = this.get(address);
    const isTooMany = !source.bucket.take();
    source.isSlowed = source.trusted ? isGuessTooMany(source.trusted, digest) : isTooMany;
    return isTooMany;
  }

  private get(address: string | undefined): Source {
    const key = networkOf(address ?? UNKNOWN);
    const source = this.sources.get(key) ?? {
      bucket: new TokenBucket(AT_ONCE, FORGIVEN_MS, this.clock),
      isSlowed: false,
    };
    this.sources.delete(key);
    this.sources.set(key, source);
    const [oldest] = this.sources.keys();
    if (this.sources.size > MAX_ADDRESSES && oldest !== undefined) this.sources.delete(oldest);
    return source;
  }
}

function isGuessTooMany({ guesses, last }: NonNullable<Source['trusted']>, digest: string): boolean {
  const isRepeated = last.delete(digest);
  last.add(digest);
  const [oldest] = last;
  if (last.size > MAX_REPEATED && oldest !== undefined) last.delete(oldest);
  return !isRepeated && !guesses.take();
}
