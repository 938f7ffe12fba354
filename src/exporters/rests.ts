/** Of a graph, in one of the steps in which an export is prepared: well under a millisecond. */
export const STEP_ITEMS = 200;

/**
 * What is prepared before a text begins, in steps. Between them stands an empty piece of the text, so that whoever sends it
 * can let others have their turn.
 */
export function* withRests<T>(work: Generator<void, T>): Generator<string, T> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    yield '';
  }
}

/** The same as a loop over all items, in steps. */
export function* inSteps<T>(items: Iterable<T>, does: (item: T) => void): Generator<void, void> {
  let count = 0;
  for (const item of items) {
    does(item);
    if (++count % STEP_ITEMS === 0) yield;
  }
}
