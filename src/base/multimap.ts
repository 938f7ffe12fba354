const NOTHING: readonly never[] = [];

/** Up to so many are kept in a list, copied at each change: a Set takes three times the memory. */
const MAX_LISTED = 8;

/** Nothing, one or several: nearly always one, which takes nothing beside itself. */
export type Few<V extends object> = V | readonly V[] | Set<V> | undefined;

export function plus<V extends object>(held: Few<V>, value: V): Few<V> {
  if (held === undefined || held === value) return value;
  if (held instanceof Set) return held.add(value);
  if (!isList(held)) return [held, value];
  if (held.includes(value)) return held;
  // Spread into a new list, it would keep room for sixteen more.
  return held.length < MAX_LISTED ? held.concat(value) : new Set(held).add(value);
}

export function minus<V extends object>(held: Few<V>, value: V): Few<V> {
  if (held === value) return undefined;
  if (held instanceof Set) {
    held.delete(value);
    return held.size > 1 ? held : held.values().next().value;
  }
  if (held === undefined || !isList(held) || !held.includes(value)) return held;
  return held.length === 2 ? held.find((other) => other !== value) : held.filter((other) => other !== value);
}

export function countOf(held: Few<object>): number {
  if (held === undefined) return 0;
  if (held instanceof Set) return held.size;
  return isList(held) ? held.length : 1;
}

export function listOf<V extends object>(held: Few<V>): readonly V[] {
  if (held === undefined) return NOTHING;
  if (held instanceof Set) return [...held];
  return isList(held) ? held : [held];
}

function isList<V extends object>(held: V | readonly V[]): held is readonly V[] {
  return Array.isArray(held);
}

/** Several values to a key. */
export class Multimap<V extends object> {
  private readonly held = new Map<string, V | readonly V[] | Set<V>>();

  add(key: string, value: V): void {
    const held = this.held.get(key);
    const now = plus(held, value);
    if (now !== undefined && now !== held) this.held.set(key, now);
  }

  delete(key: string, value: V): void {
    const held = this.held.get(key);
    const left = minus(held, value);
    if (left === undefined) this.held.delete(key);
    else if (left !== held) this.held.set(key, left);
  }

  /** The values of a key, if they are no more than `max`; else none. */
  few(key: string, max: number): readonly V[] {
    const held = this.held.get(key);
    return countOf(held) > max ? NOTHING : listOf(held);
  }

  /** Does the key have values, and no more than `max`? */
  isFew(key: string, max: number): boolean {
    const held = this.held.get(key);
    return held !== undefined && countOf(held) <= max;
  }

  count(key: string): number {
    return countOf(this.held.get(key));
  }

  all(key: string): readonly V[] {
    return listOf(this.held.get(key));
  }

  *values(): Generator<V> {
    for (const held of this.held.values()) yield* listOf(held);
  }

  has(key: string): boolean {
    return this.held.has(key);
  }

  /** Does the key have more than one value? */
  isShared(key: string): boolean {
    return countOf(this.held.get(key)) > 1;
  }
}
