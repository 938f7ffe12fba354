import type { Break } from './breaks.ts';

/** Breaks that the same tests notice, but for those that name others. */
export function inTests(tests: readonly string[], breaks: readonly Break[]): readonly Break[] {
  return breaks.map((one) => ({ tests, ...one }));
}
