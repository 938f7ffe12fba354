import { BoundaryError } from '../../base/boundary-error.ts';
import type { Principal } from '../../access/principal.ts';
import { failureWords } from '../notices.ts';
import type { CellActs } from './cell-acts.ts';

/** What all cells erased, together. */
export interface ErasedAtCells {
  /** Each once, in order. */
  readonly tasks: readonly string[];
  readonly nodesInMemory: number;
  readonly nodesArchived: number;
  readonly originalsOfTasks: number;
}

/**
 * Has every cell erase a task, or a user: any of them may have something. To do so again does no harm.
 * @throws BoundaryError UNAVAILABLE where a cell did not: what it has is still there
 */
export async function eraseAtCells(
  acts: CellActs,
  target: { readonly taskId: string } | { readonly userId: string },
  by: Principal,
): Promise<ErasedAtCells> {
  const { done, refused } = await acts.atEach({ method: 'POST', path: '/api/erase', by, body: target });
  if (refused.length > 0) {
    const failures = refused.map(({ cell, answer }) => ({ cell, message: answer.message }));
    throw new BoundaryError(
      'UNAVAILABLE',
      `not erased in every cell: what is in ${failureWords(failures)} is still there; ask again when it answers`,
      { retryAfterMs: 1_000 },
    );
  }
  const all = done.map(({ answer }) => answer as ErasedAtCells);
  const sum = (count: (one: ErasedAtCells) => number): number =>
    all.reduce((total, one) => total + count(one), 0);
  return {
    tasks: [...new Set(all.flatMap(({ tasks }) => tasks))].sort(),
    nodesInMemory: sum((one) => one.nodesInMemory),
    nodesArchived: sum((one) => one.nodesArchived),
    originalsOfTasks: sum((one) => one.originalsOfTasks),
  };
}
