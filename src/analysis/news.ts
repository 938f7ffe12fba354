import { seldom, type IsOver, type Work } from '../base/in-turns.ts';
import type { Piece, Step } from './run.ts';
import type { Place, Said } from './said.ts';
import { isNumber } from './words.ts';

/** What nothing before a step says. */
export interface News {
  /** Of the figures and names that it brings: those that it says, and those in the results of the tools that it asked for. */
  readonly share: number;
  /** Of those that it says itself: a result is where figures come from. */
  readonly unfoundedShare: number;
  readonly unfounded: ReadonlyMap<string, Place>;
  readonly hasUnfoundedNumber: boolean;
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
    const unfounded = new Map<string, Place>();
    let fresh = 0;
    let own = 0;
    let hasUnfoundedNumber = false;
    yield* learn(step.heard);
    for (const piece of [...step.own, ...step.results]) {
      for (const [token, place] of said.valuesOf(piece)) {
        if (isRest()) yield;
        if (values.has(token)) continue;
        values.add(token);
        if (!isResult(piece)) own++;
        if (known.has(token)) continue;
        fresh++;
        if (isResult(piece)) continue;
        unfounded.set(token, place);
        hasUnfoundedNumber ||= isNumber(token);
      }
    }
    const share = shareOf(fresh, values.size);
    const unfoundedShare = shareOf(unfounded.size, own);
    news.set(step, { share, unfoundedShare, unfounded, hasUnfoundedNumber });
    yield* learn(step.own);
  }
  return news;
}

function isResult({ field }: Piece): boolean {
  return field === 'toolResult' || field === 'error';
}

function shareOf(some: number, all: number): number {
  return all === 0 ? 0 : some / all;
}
