import type { Interval } from '../model/adaptation-effect.ts';

/** Samples that are drawn: the ends of an interval of 95 % are then the 25th and the 975th of them. */
const SAMPLES = 1_000;
const TAIL = 0.025;

/** The means and medians of samples drawn from a group of values; no more is needed of it, whatever it is compared with. */
export interface Resampled {
  readonly means: Float64Array;
  readonly medians: Float64Array;
}

/**
 * Draws samples as large as the group, with replacement.
 * @param sorted at least one value, the least first
 * @param seed the same gives the same
 */
export function* resampled(
  sorted: Float64Array,
  seed: number,
  isOver: () => boolean,
): Generator<void, Resampled> {
  const { length } = sorted;
  const means = new Float64Array(SAMPLES);
  const medians = new Float64Array(SAMPLES);
  const drawn = new Uint32Array(length);
  const random = randomFrom(seed);
  for (let sample = 0; sample < SAMPLES; sample++) {
    if (isOver()) yield;
    drawn.fill(0);
    let sum = 0;
    for (let i = 0; i < length; i++) {
      const at = Math.floor(random() * length);
      drawn[at] = (drawn[at] ?? 0) + 1;
      sum += sorted[at] ?? 0;
    }
    means[sample] = sum / length;
    medians[sample] = medianOf(sorted, drawn);
  }
  return { means, medians };
}

/** Where 95 % of the differences of two independent groups lie. */
export function intervalOfDifference(some: Float64Array, others: Float64Array): Interval {
  const differences = some.map((value, i) => value - (others[i] ?? 0)).sort();
  const low = Math.floor(differences.length * TAIL);
  return [differences[low] ?? 0, differences[differences.length - 1 - low] ?? 0];
}

export function median(sorted: Float64Array): number {
  const { length } = sorted;
  return ((sorted[(length - 1) >> 1] ?? 0) + (sorted[length >> 1] ?? 0)) / 2;
}

/** Of a sample. @param drawn how often each value is in it */
function medianOf(sorted: Float64Array, drawn: Uint32Array): number {
  const { length } = sorted;
  const [lower, upper] = [(length - 1) >> 1, length >> 1];
  let low = 0;
  for (let at = 0, passed = 0; at < length; at++) {
    const next = passed + (drawn[at] ?? 0);
    if (passed <= lower && lower < next) low = sorted[at] ?? 0;
    if (upper < next) return (low + (sorted[at] ?? 0)) / 2;
    passed = next;
  }
  return low;
}

/** Numbers from 0 up to 1: a Weyl sequence, mixed by murmur's last step, so that neighbouring seeds have nothing in common. */
function randomFrom(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}
