import { createHash } from 'node:crypto';
import { randomBy } from '../integration/crash/random.ts';

/** Seeded random choices. The same seed words give the same choices on every machine. */
export class Draw {
  private readonly next: () => number;

  constructor(...seed: readonly (string | number)[]) {
    this.next = randomBy(createHash('sha256').update(seed.join('/')).digest().readInt32LE(0));
  }

  /** A whole number from 0 up to, not including, `end`. */
  int(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.int(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(items.length)] as T;
  }

  /** One of the keys, each as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let rest = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    const found = entries.find(([, weight]) => (rest -= weight) < 0);
    return (found ?? entries.at(-1) ?? entries[0])?.[0] as K;
  }

  list<T>(length: number, make: (index: number) => T): T[] {
    return Array.from({ length }, (_, index) => make(index));
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let index = 0; index < length; index++) bytes[index] = this.int(256);
    return bytes;
  }
}
