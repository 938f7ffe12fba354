import type { Interval } from '../model/adaptation-effect.ts';

/** Of the standard normal distribution, for 95 %. */
const Z = 1.959963984540054;

/** Wilson's interval of a share, 95 %: within 0 and 1, also of few. @param all at least 1 */
export function wilson(some: number, all: number): Interval {
  const share = some / all;
  const spread = Z * Math.sqrt((share * (1 - share)) / all + (Z * Z) / (4 * all * all));
  const middle = share + (Z * Z) / (2 * all);
  const scale = 1 + (Z * Z) / all;
  // At the ends it is exact, but for rounding.
  return [some === 0 ? 0 : (middle - spread) / scale, some === all ? 1 : (middle + spread) / scale];
}

/** Newcombe's interval of the difference of two shares, 95 %, made of both of Wilson's (his method 10). */
export function newcombe(some: number, all: number, some2: number, all2: number): Interval {
  const [share, share2] = [some / all, some2 / all2];
  const [low, high] = wilson(some, all);
  const [low2, high2] = wilson(some2, all2);
  const difference = share - share2;
  return [
    difference - Math.hypot(share - low, high2 - share2),
    difference + Math.hypot(high - share, share2 - low2),
  ];
}
