import { atOnce, NEVER_OVER, seldom, type IsOver, type Work } from '../base/in-turns.ts';

/**
 * Of what happened at one time, what led to something stands before it; all else stays in the order that is given. Where
 * causes go round, the first one that is given comes last of its circle.
 * @param isOneTime do two neighbours belong to one time? Only these change places
 * @param causesOf ids of what leads to something
 */
export function* causesFirst<T extends { readonly node: { readonly id: string } }>(
  items: readonly T[],
  isOneTime: (a: T, b: T) => boolean,
  causesOf: (id: string) => Iterable<string>,
  isOver: IsOver,
): Work<readonly T[]> {
  const isRest = seldom(isOver);
  const ordered: T[] = [];
  for (let from = 0; from < items.length;) {
    let to = from + 1;
    while (isNeighbour(items[to - 1], items[to], isOneTime)) to++;
    const waiting = new Map(items.slice(from, to).map((item) => [item.node.id, item]));
    // With a stack of its own: a chain may be as long as a task.
    for (const { node } of waiting.size > 1 ? items.slice(from, to) : []) {
      const way: Iterator<string>[] = [];
      const entered: T[] = [];
      const enter = (id: string): void => {
        const item = waiting.get(id);
        if (!item) return;
        waiting.delete(id);
        entered.push(item);
        way.push(causesOf(id)[Symbol.iterator]());
      };
      enter(node.id);
      while (way.length > 0) {
        const next = way.at(-1)?.next();
        if (next?.done === false) enter(next.value);
        else {
          way.pop();
          const item = entered.pop();
          if (item) ordered.push(item);
        }
        if (isRest()) yield;
      }
    }
    for (const item of waiting.values()) ordered.push(item);
    from = to;
    if (isRest()) yield;
  }
  return ordered;
}

/** The same in one turn, for a page. */
export function causesFirstAtOnce<T extends { readonly node: { readonly id: string } }>(
  items: readonly T[],
  isOneTime: (a: T, b: T) => boolean,
  causesOf: (id: string) => Iterable<string>,
): readonly T[] {
  return atOnce(causesFirst(items, isOneTime, causesOf, NEVER_OVER));
}

function isNeighbour<T>(a: T | undefined, b: T | undefined, isOneTime: (a: T, b: T) => boolean): boolean {
  return a !== undefined && b !== undefined && isOneTime(a, b);
}
