import type { IsOver, Work } from '../base/in-turns.ts';

/** Of lists that differ in more places, the longest common part is looked for in one stretch after the other. */
const MOST_EDITS = 100;

/** The places in two lists of things that are equal; in order. */
export type Pair = readonly [inA: number, inB: number];

/**
 * The longest common part of two lists (E. Myers' greedy algorithm), in time proportional to their length. Of lists that
 * differ in more than `MOST_EDITS` places it may miss some of it.
 */
export function* commonSteps(
  a: readonly number[],
  b: readonly number[],
  isOver: IsOver,
): Work<readonly Pair[]> {
  const pairs: Pair[] = [];
  for (let [x, y] = [0, 0]; x < a.length && y < b.length;) {
    const end = yield* search(a, b, [x, y], isOver);
    for (const pair of walkBack(end, [x, y])) pairs.push(pair);
    const reached = at(end.trace[end.d], end.k, end.d);
    [x, y] = [x + reached, y + reached - end.k];
  }
  return pairs;
}

interface End {
  /** For each number of edits, how far in `a` each diagonal is reached with it; -1 for one that is not. */
  readonly trace: readonly Int32Array[];
  readonly d: number;
  readonly k: number;
  /** What was left of the lists. */
  readonly n: number;
  readonly m: number;
}

function at(reach: Int32Array | undefined, k: number, d: number): number {
  return Math.abs(k) > d ? -1 : (reach?.[k + d] ?? -1);
}

/** Goes from one place to the ends of both lists, or as far as `MOST_EDITS` lead. */
function* search(
  a: readonly number[],
  b: readonly number[],
  [fromA, fromB]: Pair,
  isOver: IsOver,
): Work<End> {
  const [n, m] = [a.length - fromA, b.length - fromB];
  const trace: Int32Array[] = [];
  const most = Math.min(n + m, MOST_EDITS);
  for (let d = 0; ; d++) {
    const reach = new Int32Array(2 * d + 1).fill(-1);
    trace.push(reach);
    let furthest: number | undefined;
    for (let k = -d; k <= d; k += 2) {
      const before = trace[d - 1];
      let x = d === 0 ? 0 : Math.max(byStepOfA(before, k, d, n), byStepOfB(before, k, d, m));
      if (x < 0) continue;
      while (x < n && x - k < m && a[fromA + x] === b[fromB + x - k]) x++;
      reach[k + d] = x;
      if (x === n && x - k === m) return { trace, d, k, n, m };
      if (furthest === undefined || 2 * x - k > 2 * at(reach, furthest, d) - furthest) furthest = k;
    }
    if (d === most && furthest !== undefined) return { trace, d, k: furthest, n, m };
    if (isOver()) yield;
  }
}

/** Where a diagonal is entered by a step of `a` alone; -1 where that cannot be. */
function byStepOfA(before: Int32Array | undefined, k: number, d: number, n: number): number {
  const left = at(before, k - 1, d - 1);
  return left >= 0 && left < n ? left + 1 : -1;
}

/** And by one of `b`. */
function byStepOfB(before: Int32Array | undefined, k: number, d: number, m: number): number {
  const above = at(before, k + 1, d - 1);
  return above >= 0 && above - k <= m ? above : -1;
}

function walkBack({ trace, n, m, ...end }: End, [fromA, fromB]: Pair): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let { d, k } = end; d >= 0; d--) {
    const [byA, byB] = [byStepOfA(trace[d - 1], k, d, n), byStepOfB(trace[d - 1], k, d, m)];
    const start = d === 0 ? 0 : Math.max(byA, byB);
    for (let x = at(trace[d], k, d); x > start; x--) pairs.push([fromA + x - 1, fromB + x - 1 - k]);
    k += byA > byB ? -1 : 1;
  }
  return pairs.reverse();
}
