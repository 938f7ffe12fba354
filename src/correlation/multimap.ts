const NOTHING: readonly never[] = [];

/** Several values to a key; most keys have one, which then takes no set of its own. */
export class Multimap<V extends object> {
  private readonly held = new Map<string, V | Set<V>>();

  add(key: string, value: V): void {
    const held = this.held.get(key);
    if (held === undefined) this.held.set(key, value);
    else if (held instanceof Set) held.add(value);
    else if (held !== value) this.held.set(key, new Set([held, value]));
  }

  delete(key: string, value: V): void {
    const held = this.held.get(key);
    if (held === value) this.held.delete(key);
    if (!(held instanceof Set) || !held.delete(value) || held.size > 1) return;
    for (const last of held) this.held.set(key, last);
  }

  /** The values of a key, if they are no more than `max`; else none. */
  few(key: string, max: number): readonly V[] {
    const held = this.held.get(key);
    if (held === undefined) return NOTHING;
    if (!(held instanceof Set)) return [held];
    return held.size > max ? NOTHING : [...held];
  }

  first(key: string): V | undefined {
    const held = this.held.get(key);
    if (!(held instanceof Set)) return held;
    for (const value of held) return value;
    return undefined;
  }

  all(key: string): readonly V[] {
    return this.few(key, Infinity);
  }

  has(key: string): boolean {
    return this.held.has(key);
  }

  /** Does the key have more than one value? */
  isShared(key: string): boolean {
    return this.held.get(key) instanceof Set;
  }
}
