import type { EraseHandler, EraseRequest } from '../servers/http/erase-route.ts';
import { askerOf, type AccessRecord } from './access-record.ts';
import type { Erased, Eraser } from './eraser.ts';

export interface EraseRequestsOptions {
  readonly eraser: Eraser;
  /** @throws BoundaryError UNAVAILABLE until the graph is restored, since what is not there cannot be erased; and while draining */
  readonly assertOpen: () => void;
  /** Undefined where nothing is written to disk. */
  readonly accesses: AccessRecord | undefined;
  readonly redact: (text: string) => string;
  /** A keyed fingerprint of a user. */
  readonly fingerprint: (userId: string) => string;
}

/** Has administrators erase, and puts it on record. */
export function eraseRequests(options: EraseRequestsOptions): EraseHandler<Erased> {
  const { eraser, assertOpen, accesses, redact, fingerprint } = options;
  const handle = async ({ principal, ...target }: EraseRequest): Promise<Erased> => {
    assertOpen();
    const { taskId, userId } = target;
    const erased = await eraser.erase(taskId === undefined ? { userId: userId ?? '' } : { taskId });
    await accesses?.granted({
      action: 'erase',
      // Who was erased is not to be read here; whoever asks after somebody can still be answered.
      node: taskId === undefined ? fingerprint(userId ?? '') : redact(taskId),
      ...askerOf(principal),
      why: taskId === undefined ? 'a user' : 'a task',
      values: erased.nodesInMemory + erased.nodesArchived,
    });
    return erased;
  };
  return {
    handle,
    // What was to be erased stands in the body, which is not read.
    refused: async (refusal) =>
      accesses?.refused({
        action: 'refused',
        node: 'erase',
        why: refusal.error.code,
        ...accesses.askerOf(refusal),
      }),
  };
}
