import { BoundaryError } from '../base/boundary-error.ts';
import type { EraseHandler } from '../servers/http/erase-route.ts';
import type { AccessRecord } from './access-record.ts';
import type { Erased, Eraser } from './eraser.ts';

export interface EraseRequestsOptions {
  readonly eraser: Eraser;
  /** @throws BoundaryError UNAVAILABLE until the graph is restored, since what is not there cannot be erased; and while draining */
  readonly assertOpen: () => void;
  readonly hasAdminToken: boolean;
  /** Undefined where nothing is written to disk. */
  readonly accesses: AccessRecord | undefined;
  readonly redact: (text: string) => string;
  /** A keyed fingerprint, of a token or a user. */
  readonly fingerprint: (token: string) => string;
}

/** Has administrators erase, and puts it on record. */
export function eraseRequests(options: EraseRequestsOptions): EraseHandler<Erased> {
  const { eraser, assertOpen, hasAdminToken, accesses, redact, fingerprint } = options;
  return async ({ role, token, ...target }) => {
    if (!hasAdminToken)
      throw new BoundaryError(
        'PERMISSION_DENIED',
        'erasing needs an administrator: set auth.adminToken, and send it as `Authorization: Bearer …`; or stop the service and erase offline',
      );
    if (role !== 'admin')
      throw new BoundaryError(
        'PERMISSION_DENIED',
        'this token is for reading: erasing needs auth.adminToken',
      );
    assertOpen();
    const { taskId, userId } = target;
    const erased = await eraser.erase(taskId === undefined ? { userId: userId ?? '' } : { taskId });
    await accesses?.granted({
      action: 'erase',
      // Who was erased is not to be read here; whoever asks after somebody can still be answered.
      node: taskId === undefined ? fingerprint(userId ?? '') : redact(taskId),
      role,
      who: token === undefined ? 'no token' : fingerprint(token),
      why: taskId === undefined ? 'a user' : 'a task',
      values: erased.nodesInMemory + erased.nodesArchived,
    });
    return erased;
  };
}
