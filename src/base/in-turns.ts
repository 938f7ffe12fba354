import type { Turns } from './pace.ts';

/** Is this turn of the event loop over for long work? Asked between steps of well under a millisecond. */
export type IsOver = () => boolean;

export const NEVER_OVER: IsOver = () => false;

/** Steps of about a microsecond between two looks at the clock. */
const STEPS_A_LOOK = 100;

/** For work in many short steps: asked after each, it looks at the clock after every hundredth. */
export function seldom(isOver: IsOver): IsOver {
  let steps = 0;
  return () => ++steps % STEPS_A_LOOK === 0 && isOver();
}

/**
 * Work in pieces: it yields whenever the turn is over for it. Not an async function, since the same work is also done
 * within one turn, for those who must see the graph as it is, and what is little is done before the call returns.
 * In turns it may also yield what it waits for.
 */
export type Work<T> = Generator<void | Promise<void>, T>;

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
export function inTurns<T>(work: Work<T>, pace: Turns, isWanted: () => boolean): T | Promise<T | undefined> {
  const { done, value } = work.next();
  return done === true ? value : goOn(work, value, pace, isWanted);
}

/** As `inTurns`, for work that is wanted to its end, whoever asked. */
export async function wholeInTurns<T>(work: Work<T>, pace: Turns): Promise<T> {
  for (let rested = 0; ; rested++) {
    const { done, value } = work.next();
    if (done === true) return value;
    if (value) await value;
    await pace.rest(rested);
  }
}

async function goOn<T>(
  work: Work<T>,
  first: void | Promise<void>,
  pace: Turns,
  isWanted: () => boolean,
): Promise<T | undefined> {
  let wait = first;
  for (let rested = 0; ; rested++) {
    if (wait) await wait;
    await pace.rest(rested);
    if (!isWanted()) {
      // What it holds it gives back.
      work.return(undefined as never);
      return undefined;
    }
    const { done, value } = work.next();
    if (done === true) return value;
    wait = value;
  }
}
