/** ln(n!) for every n that was asked for so far. */
const LOG_FACTORIALS = [0];

/** Tables as unlikely as the one that was found are as extreme; so much is left to rounding. */
const ROUNDING = 1 + 1e-7;

/**
 * Fisher's exact test, two-sided, of a table of two by two: how likely is one at least as extreme, if rows and columns
 * have nothing to do with one another?
 * @param a, b the first row; c, d the second; whole numbers from 0
 */
export function fisherExact(a: number, b: number, c: number, d: number): number {
  const [row, column, all] = [a + b, a + c, a + b + c + d];
  const margins =
    logFactorial(row) +
    logFactorial(all - row) +
    logFactorial(column) +
    logFactorial(all - column) -
    logFactorial(all);
  const likelihood = (first: number): number =>
    Math.exp(
      margins -
        logFactorial(first) -
        logFactorial(row - first) -
        logFactorial(column - first) -
        logFactorial(all - row - column + first),
    );
  const found = likelihood(a) * ROUNDING;
  let sum = 0;
  for (let first = Math.max(0, row + column - all); first <= Math.min(row, column); first++) {
    const one = likelihood(first);
    if (one <= found) sum += one;
  }
  return Math.min(1, sum);
}

function logFactorial(n: number): number {
  for (let next = LOG_FACTORIALS.length; next <= n; next++)
    LOG_FACTORIALS.push((LOG_FACTORIALS[next - 1] ?? 0) + Math.log(next));
  return LOG_FACTORIALS[n] ?? 0;
}

/**
 * What is left of single tests when many were made (Benjamini and Hochberg): the smallest rate of false discoveries at which
 * each would be one. In the same order.
 */
export function falseDiscoveryRates(ps: readonly number[]): readonly number[] {
  const order = [...ps.keys()].sort((i, j) => (ps[j] ?? 0) - (ps[i] ?? 0));
  const rates = ps.map(() => 1);
  let least = 1;
  for (const [before, i] of order.entries()) {
    least = Math.min(least, ((ps[i] ?? 1) * ps.length) / (ps.length - before));
    rates[i] = least;
  }
  return rates;
}
