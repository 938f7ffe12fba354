import type { Pace } from './pace.ts';

/** Is this turn of the event loop over for long work? Asked between steps of well under a millisecond. */
export type IsOver = () => boolean;

export const NEVER_OVER: IsOver = () => false;

/** Work in pieces: it yields whenever the turn is over for it. */
export type Work<T> = Generator<void, T>;

/** Does the whole work in this turn, however long it takes. */
export function atOnce<T>(work: Work<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/**
 * Does as much of the work in this turn as it takes for itself, and the rest in later ones.
 * @param isWanted false when nobody waits for it any more: then it ends with undefined
 * @returns what comes out, at once if one turn was enough
 */
export function inTurns<T>(
  work: Work<T>,
  pace: Pace,
  isWanted: () => boolean = () => true,
): T | Promise<T | undefined> {
  const { done, value } = work.next();
  return done === true ? value : goOn(work, pace, isWanted);
}

async function goOn<T>(work: Work<T>, pace: Pace, isWanted: () => boolean): Promise<T | undefined> {
  for (;;) {
    await pace.rest();
    if (!isWanted()) return undefined;
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
