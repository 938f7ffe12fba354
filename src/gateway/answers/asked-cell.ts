import type { Transport } from '../../client/transport.ts';

/** What a cell is asked for single answers. */
export type CellAnswers = Pick<
  Transport,
  | 'getGraph'
  | 'getNode'
  | 'findTasks'
  | 'search'
  | 'why'
  | 'spikes'
  | 'compare'
  | 'patterns'
  | 'summary'
  | 'prune'
>;

/** A cell, asked on behalf of somebody. Its name is no other's. */
export interface AskedCell {
  readonly name: string;
  readonly answers: CellAnswers;
  /** It did not answer the gateway when it was asked last: it is not waited for as long as others. */
  readonly isAway?: boolean;
}

/** A cell that did not answer, and why, in words for people. */
export interface CellFailure {
  readonly cell: string;
  readonly message: string;
}

/** Something that a cell gave. */
export interface OfCell<T> {
  readonly cell: string;
  readonly answer: T;
}
