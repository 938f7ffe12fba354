import { createHash, timingSafeEqual } from 'node:crypto';
import { BoundaryError } from '../base/boundary-error.ts';

/** Who may send. Without it everybody who reaches the port may. */
export interface ReceiverAuth {
  /** `Authorization: Bearer <token>` must match it. */
  readonly bearerToken: string;
}

/**
 * Checks an Authorization header in constant time.
 * @throws BoundaryError UNAUTHENTICATED
 */
export function checkBearer(auth: ReceiverAuth | undefined, header: string | undefined): void {
  if (auth === undefined) return;
  const token = header === undefined ? undefined : /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (token === undefined) {
    throw new BoundaryError('UNAUTHENTICATED', 'send the header "Authorization: Bearer <token>"');
  }
  if (!timingSafeEqual(digest(token), digest(auth.bearerToken))) {
    throw new BoundaryError('UNAUTHENTICATED', 'the bearer token is not the one that is configured');
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
