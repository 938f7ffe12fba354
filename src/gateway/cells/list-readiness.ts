import type { CellAddresses } from './cell-addresses.ts';

/** What `/readyz` says of the list of cells. */
export interface ListReadiness {
  /** Without a cell nothing can be answered or passed on. */
  readonly problems: readonly string[];
  /** With the cells that were known last all goes on: a DNS that fails for a moment must not take every gateway out. */
  readonly warnings: readonly string[];
}

export function listReadiness(addresses: Pick<CellAddresses, 'current' | 'problem'>): ListReadiness {
  const said = addresses.problem === undefined ? [] : [addresses.problem];
  const isServing = addresses.current().length > 0;
  return isServing ? { problems: [], warnings: said } : { problems: said, warnings: [] };
}
