import { BoundaryError } from '../../base/boundary-error.ts';
import { hasCode } from '../../base/file-system.ts';
import type { StartFailure } from './messages.ts';

/** What a failed start means for whoever started it. */
export function startFailure(error: unknown): StartFailure {
  if (error instanceof CannotStart) return { ...error.failure };
  return {
    message: error instanceof Error ? error.message : 'unknown',
    isConfiguration: error instanceof BoundaryError && error.code === 'FAILED_PRECONDITION',
    isPortTaken: error instanceof Error && hasCode(error.cause, 'EADDRINUSE'),
  };
}

/** What a process said before it ended, in the one that started it. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
  readonly failure: StartFailure;

  constructor(failure: StartFailure) {
    super(failure.message);
    this.failure = failure;
  }
}
