/** What nobody finds by trying, however fast: a trillion a second find one of these in 38,000 years. */
const UNGUESSABLE_BITS = 80;

/** Might somebody who tries and tries find a secret that people chose? Its length and its different characters tell. */
export function isGuessable(secret: string): boolean {
  return secret.length * Math.log2(new Set(secret).size) < UNGUESSABLE_BITS;
}
