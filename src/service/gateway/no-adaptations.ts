import { BoundaryError } from '../../base/boundary-error.ts';
import type { AdaptationsApi } from '../../model/adaptations-api.ts';

/** A gateway adds nothing to prompts: each cell has a file of its own, and its versions. */
export const NO_ADAPTATIONS: AdaptationsApi = {
  list: refuse,
  get: refuse,
  update: refuse,
  reload: refuse,
  preview: refuse,
  effect: refuse,
};

function refuse(): Promise<never> {
  return Promise.reject(
    new BoundaryError(
      'FAILED_PRECONDITION',
      'a gateway has no adaptations: ask a cell at its own port, and change them at each cell, or by the file that adaptationsFile names there',
    ),
  );
}
