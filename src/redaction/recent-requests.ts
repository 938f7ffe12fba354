/**
 * Request digests remembered per thought. A sender without an answer repeats its request before the next one or, with
 * several requests in flight, after a few others.
 */
export const MAX_REQUESTS = 32;
/** Base64 characters of a digest: 72 bits, compared within one thought only. */
export const DIGEST_CHARS = 12;

/** The digests of the last requests that brought something of a thought, newest first. */
export class RecentRequests {
  /** One after the other. */
  all: string;

  constructor(all = '') {
    this.all = all;
  }

  /** Whether it was there before; from now on it is. */
  isRepeated(digest: string): boolean {
    for (let at = 0; at < this.all.length; at += DIGEST_CHARS)
      if (this.all.startsWith(digest, at)) return true;
    this.all = (digest + this.all).slice(0, MAX_REQUESTS * DIGEST_CHARS);
    return false;
  }
}
