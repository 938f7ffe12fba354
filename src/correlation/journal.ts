import type { Facts, StepTexts } from '../model/facts.ts';

/** What correlation takes of one record. */
export interface Taken {
  readonly facts: Facts;
  /** What it brought that is too large for the graph. */
  readonly texts?: {
    readonly texts?: StepTexts;
    readonly attributes?: { readonly [key: string]: unknown };
  };
}

/** Where what is taken is kept before it changes anything. */
export interface Journal {
  /**
   * Resolves when it is kept. When it rejects, nothing was taken, and the sender is told to come again.
   * @param release called when all of it was read, which is long before
   */
  append(taken: readonly Taken[], release?: () => void): Promise<void>;
}
