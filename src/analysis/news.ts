import { seldom, type IsOver, type Work } from '../base/in-turns.ts';
import type { Piece, Step } from './run.ts';
import type { Place, Said } from './said.ts';
import { isNumber } from './words.ts';

/** What a step says that nothing before it does. */
export interface News {
  /** Of all its figures and names. */
  readonly share: number;
  readonly fresh: ReadonlyMap<string, Place>;
  readonly hasNumber: boolean;
}

/** What is new in each step, whose texts were read. @param input what the user asked */
export function* newsOf(
  steps: readonly Step[],
  said: Said,
  input: Piece,
  isOver: IsOver,
): Work<ReadonlyMap<Step, News>> {
  const isRest = seldom(isOver);
  const news = new Map<Step, News>();
  const known = new Set(said.valuesOf(input).keys());
  function* learn(pieces: readonly Piece[]): Work<void> {
    for (const piece of pieces) {
      for (const token of said.valuesOf(piece).keys()) {
        known.add(token);
        if (isRest()) yield;
      }
    }
  }
  for (const step of steps) {
    const values = new Set<string>();
    const fresh = new Map<string, Place>();
    let hasNumber = false;
    yield* learn(step.heard);
    for (const piece of [...step.own, ...step.results]) {
      for (const [token, place] of said.valuesOf(piece)) {
        if (isRest()) yield;
        if (values.has(token)) continue;
        values.add(token);
        if (known.has(token)) continue;
        fresh.set(token, place);
        hasNumber ||= isNumber(token);
      }
    }
    news.set(step, { share: values.size === 0 ? 0 : fresh.size / values.size, fresh, hasNumber });
    yield* learn(step.own);
  }
  return news;
}
