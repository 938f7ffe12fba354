import type { Noticed } from './noticed.ts';

/** What was taken out of memory. */
export interface Pruned extends Noticed {
  readonly prunedNodes: number;
}
