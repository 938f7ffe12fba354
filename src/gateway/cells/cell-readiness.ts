import type { CellAddresses } from './cell-addresses.ts';
import type { CellHealth } from './cell-health.ts';

/** What `/readyz` says of the cells and their list. */
export interface CellReadiness {
  /** Without a cell that answers nothing can be answered or passed on. */
  readonly problems: readonly string[];
  /** With the cells that were known last all goes on: a DNS that fails for a moment must not take every gateway out. */
  readonly warnings: readonly string[];
}

export function cellReadiness(
  addresses: Pick<CellAddresses, 'current' | 'problem'>,
  health: Pick<CellHealth, 'of' | 'notices'>,
): CellReadiness {
  const said = addresses.problem === undefined ? [] : [addresses.problem];
  const cells = addresses.current();
  if (cells.length === 0) return { problems: said, warnings: [] };
  const isServing = cells.some(({ name }) => {
    const verdict = health.of(name);
    return verdict?.state !== 'away' || verdict.isRefusal;
  });
  const problems = isServing ? [] : ['no cell answers: nothing new is shown or taken in until one does'];
  return { problems, warnings: [...said, ...health.notices()] };
}
