import type { ExplanationEdge } from '../model/node.ts';

/** How a list of an export is made of what it holds. */
export type ListOf = <A, B>(items: readonly A[], make: (item: A) => B) => readonly B[];

export const madeAtOnce: ListOf = (items, make) => items.map(make);

/** An edge by the names that libraries have for its ends. */
export interface LinkedEdge extends Omit<ExplanationEdge, 'from' | 'to'> {
  readonly source: string;
  readonly target: string;
}
