/**
 * Which of what is held makes room for somebody, where all places are taken: the last that came of who holds most, since it
 * has lost the least. Nobody makes room who would then hold less than who comes.
 * @param held by whom, in the order of coming
 */
export function whoMakesRoom<T>(held: ReadonlyMap<T, string>, comes: string): T | undefined {
  const counts = new Map<string, number>();
  for (const who of held.values()) counts.set(who, (counts.get(who) ?? 0) + 1);
  const [most, count] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
  if (count <= (counts.get(comes) ?? 0) + 1) return undefined;
  let last: T | undefined;
  for (const [one, who] of held) if (who === most) last = one;
  return last;
}
