import fc from 'fast-check';

/** More would not fit into what fast-check takes as a seed. */
const SEEDS = 0x7fffffff;
/** The seed of everything random in the tests of this process: `PROPERTY_SEED`, or a new one, which is printed. */
export const seed = Number(process.env['PROPERTY_SEED'] ?? Math.trunc(Math.random() * SEEDS));
if (process.env['PROPERTY_SEED'] === undefined) console.log(`PROPERTY_SEED=${seed}`);

fc.configureGlobal({ seed });
// What waits for a random time in the program (a client that tries again) is repeated as well.
Math.random = sequenceOf(seed);

/** Mulberry32: a small generator, good enough for jitter. */
function sequenceOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
