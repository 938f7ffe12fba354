import type { ExplanationEdge } from '../model/node.ts';

/**
 * Which edges have exactly one end in a part of a tree, in sixty-four bits: those of each such edge, drawn by chance, by
 * exclusive or. So the border of several parts is made of theirs, an edge between them cancels out, and what is moved
 * takes its border along, however many edges there are.
 */
export interface Border {
  readonly high: number;
  readonly low: number;
}

/** No edge leads out or in: the one border of that kind. Another one is equal to it once in 2^64 times. */
export const NO_BORDER: Border = { high: 0, low: 0 };

const borders = new WeakMap<ExplanationEdge, Border>();

/** Of one end of an edge. */
export function borderOf(edge: ExplanationEdge): Border {
  let border = borders.get(edge);
  if (!border) borders.set(edge, (border = { high: randomBits(), low: randomBits() }));
  return border;
}

export function joinBorders(a: Border, b: Border): Border {
  if (a === NO_BORDER) return b;
  if (b === NO_BORDER) return a;
  const [high, low] = [a.high ^ b.high, a.low ^ b.low];
  return high === 0 && low === 0 ? NO_BORDER : { high, low };
}

function randomBits(): number {
  return Math.trunc(Math.random() * 2 ** 32) | 0;
}
