import type { Facts } from '../model/facts.ts';

/** Records of nodes that left memory, as far as they may have to come back. */
export interface LeftRecords {
  /** Nothing has left memory. */
  readonly isEmpty: boolean;
  /**
   * Of nodes that left memory the records to which these belong, and all that is tied to them, are given to `take`.
   * @returns undefined in nearly every case: nothing of it is there. Never rejects
   */
  bringBack(
    facts: readonly Facts[],
    take: (facts: readonly Facts[]) => Promise<void>,
  ): Promise<void> | undefined;
}
