import { GROUP_SIZE, groupOf, type Tie } from '../model/ties.ts';

/** 16 MiB. With a million requests and traces that left memory, one batch in thirty is thought to be tied and is not. */
const COUNTERS = 8 * 1024 * 1024;
const FULL = 0xffff;
const PLACES = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d] as const;

/**
 * Whether a tie may be one of a node that left memory: counters, of which several have to be above 0 (a Bloom filter). They
 * take memory once something has left.
 */
export class TieFilter {
  private counters: Uint16Array | undefined;

  get isEmpty(): boolean {
    return this.counters === undefined;
  }

  add(tie: Tie): void {
    const counters = (this.counters ??= new Uint16Array(COUNTERS));
    for (const at of placesOf(tie)) if (counters[at] !== FULL) counters[at] = (counters[at] ?? 0) + 1;
  }

  /** It was added before. What is full stays full, until the next start. */
  delete(tie: Tie): void {
    const { counters } = this;
    if (!counters) return;
    for (const at of placesOf(tie)) {
      const count = counters[at] ?? 0;
      if (count > 0 && count < FULL) counters[at] = count - 1;
    }
  }

  /** Is there one of the same group? */
  has(tie: Tie): boolean {
    const { counters } = this;
    return counters !== undefined && placesOf(tie).every((at) => (counters[at] ?? 0) > 0);
  }
}

function placesOf(tie: Tie): readonly number[] {
  const group = groupOf(tie) / GROUP_SIZE;
  const [low, high] = [group >>> 0, Math.floor(group / 2 ** 32)];
  return PLACES.map((factor) => {
    let mixed = Math.imul(low ^ (low >>> 15) ^ high, factor);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0x27d4eb2f);
    return ((mixed ^ (mixed >>> 16)) >>> 0) % COUNTERS;
  });
}
