import type { Facts } from '../model/facts.ts';
import type { Tie } from '../model/ties.ts';

/** Records of nodes that left memory, as far as they may have to come back. */
export interface LeftRecords {
  /** Nothing has left memory. */
  readonly isEmpty: boolean;
  /**
   * Is there room to wait for what may have to come back for these?
   * @throws BoundaryError RESOURCE_EXHAUSTED when too many requests wait for what comes back
   */
  assertRoom(facts: readonly Facts[]): void;
  /**
   * Of nodes that left memory the records that these lead to, and all that is tied to them, are given to `take`.
   * @returns undefined in nearly every case: nothing of it is there. Never rejects
   */
  bringBack(
    ties: readonly Tie[],
    take: (facts: readonly Facts[]) => Promise<void>,
  ): Promise<void> | undefined;
}
