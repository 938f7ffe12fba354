import type { ExplanationNode } from '../../src/client/browser.ts';
import { startOf } from '../state/node-times.ts';
import { leadersOf } from './graph-reading.ts';
import type { Records } from './graph-reading.ts';

/** By start and id, but causes first: the earliest of those whose causes are all placed. */
export function inOrder(fresh: readonly ExplanationNode[], records: Records): readonly ExplanationNode[] {
  const byTime = fresh
    .map((node) => ({ node, start: startOf(node) }))
    .sort((a, b) => a.start - b.start || (a.node.id < b.node.id ? -1 : 1));
  const places = new Map(byTime.map(({ node }, place) => [node.id, place]));
  const effects = byTime.map((): number[] => []);
  const missing = byTime.map(({ node }, effect) => {
    const causes = leadersOf(node.id, records).flatMap((id) => places.get(id) ?? []);
    for (const cause of causes) effects[cause]?.push(effect);
    return causes.length;
  });
  const ready = missing.flatMap((number, place) => (number === 0 ? [place] : [])).reverse();
  const done = new Set<number>();
  const order: ExplanationNode[] = [];
  let earliest = 0;
  while (order.length < byTime.length) {
    // Nothing is ready only where causes run in a circle: it is opened at its earliest.
    while (done.has(earliest)) earliest += 1;
    const place = ready.pop() ?? earliest;
    const node = byTime[place]?.node;
    if (!node || done.has(place)) continue;
    done.add(place);
    order.push(node);
    for (const effect of effects[place] ?? []) {
      missing[effect] = (missing[effect] ?? 0) - 1;
      if (missing[effect] === 0) insert(ready, effect);
    }
  }
  return order;
}

/** Into a list that falls. */
function insert(falling: number[], value: number): void {
  let low = 0;
  let high = falling.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((falling[middle] ?? 0) > value) low = middle + 1;
    else high = middle;
  }
  falling.splice(low, 0, value);
}
