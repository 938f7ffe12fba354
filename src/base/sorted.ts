import type { IsOver, Work } from './in-turns.ts';

/** Items that are sorted, or merged, in one step: well under a millisecond. */
const STEP_ITEMS = 500;

export type Compare<T> = (a: T, b: T) => number;

/** Merge sort that can be interrupted; runs that are in order already are joined as they are. */
export function* sorted<T>(items: readonly T[], compare: Compare<T>, isOver: IsOver): Work<readonly T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += STEP_ITEMS) {
    runs.push(items.slice(at, at + STEP_ITEMS).sort(compare));
    if (isOver()) yield;
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      longer.push(yield* merged(runs[at] ?? [], runs[at + 1] ?? [], compare, isOver));
    }
    runs = longer;
  }
  return runs[0] ?? [];
}

function* merged<T>(first: T[], second: T[], compare: Compare<T>, isOver: IsOver): Work<T[]> {
  const [last, next] = [first.at(-1), second[0]];
  if (last === undefined || next === undefined || compare(last, next) <= 0) return first.concat(second);
  const all: T[] = [];
  let at = 0;
  for (const item of first) {
    for (let other = second[at]; other !== undefined && compare(other, item) < 0; other = second[++at]) {
      all.push(other);
      if (all.length % STEP_ITEMS === 0 && isOver()) yield;
    }
    all.push(item);
    if (all.length % STEP_ITEMS === 0 && isOver()) yield;
  }
  return all.concat(second.slice(at));
}
