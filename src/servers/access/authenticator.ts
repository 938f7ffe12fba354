import { createHash, timingSafeEqual } from 'node:crypto';
import { BoundaryError } from '../../base/boundary-error.ts';

export type AuthOption = 'none' | { readonly token: string; readonly adminToken?: string };

export type Role = 'reader' | 'admin';

export interface Credentials {
  /** The `Authorization` header, or gRPC's `authorization` metadata. */
  readonly authorization?: string | undefined;
  /** From `?access_token=`: browsers can't set headers on a WebSocket. */
  readonly accessToken?: string | undefined;
}

export interface Authenticator {
  /**
   * Who asks. Without authentication everybody is a reader: nobody is an admin unless an admin token was set.
   * @throws BoundaryError UNAUTHENTICATED
   */
  authenticate(credentials: Credentials): Role;
}

export function createAuthenticator(auth: AuthOption): Authenticator {
  if (auth === 'none') return { authenticate: () => 'reader' };
  const reader = digest(auth.token);
  const admin = auth.adminToken === undefined ? undefined : digest(auth.adminToken);
  return {
    authenticate(credentials) {
      const token = bearerToken(credentials.authorization) ?? credentials.accessToken;
      if (token === undefined) {
        throw new BoundaryError(
          'UNAUTHENTICATED',
          'send the token of the setting `auth` as `Authorization: Bearer …`',
        );
      }
      const given = digest(token);
      if (admin !== undefined && timingSafeEqual(given, admin)) return 'admin';
      if (timingSafeEqual(given, reader)) return 'reader';
      throw new BoundaryError('UNAUTHENTICATED', 'the token is not the one of the setting `auth`');
    },
  };
}

/** RFC 6750, 2.1. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

/** Equal lengths, so that the comparison takes the same time whatever was sent. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
