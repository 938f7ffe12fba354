import { createHash, timingSafeEqual } from 'node:crypto';
import { BoundaryError } from '../base/boundary-error.ts';
import { tokenOf } from './credentials.ts';
import { DEFAULT_PROJECT, NOBODY, type Access, type Principal } from './principal.ts';
import type { Role } from './roles.ts';

/** The setting `auth`. */
export type AuthOption = 'none' | { readonly token?: string; readonly adminToken?: string };

interface KnownToken {
  readonly digest: Buffer;
  readonly principal: Principal;
}

/** Knows the tokens of the settings. Without any, everybody sends and operates, and nobody administers. */
export function createAccess(auth: AuthOption): Access {
  if (auth === 'none') return { identify: () => NOBODY };
  const known = tokensOf(auth);
  return {
    identify(credentials) {
      const token = tokenOf(credentials);
      if (token === undefined)
        throw new BoundaryError(
          'UNAUTHENTICATED',
          'send a token as `Authorization: Bearer …` or `x-api-key`; people log in at /login',
        );
      const given = digestOf(token);
      let found: Principal | undefined;
      // All are compared, so that the time tells nothing.
      for (const { digest, principal } of known) if (timingSafeEqual(given, digest)) found = principal;
      if (found === undefined)
        throw new BoundaryError('UNAUTHENTICATED', 'the token is none that this service knows');
      return found;
    },
  };
}

function tokensOf({ token, adminToken }: Exclude<AuthOption, 'none'>): readonly KnownToken[] {
  const one = (name: string, secret: string, roles: readonly Role[]): KnownToken => ({
    digest: digestOf(secret),
    principal: { by: 'token', id: name, name, roles, project: DEFAULT_PROJECT },
  });
  return [
    ...(token === undefined ? [] : [one('auth.token', token, ['sender', 'operator'])]),
    ...(adminToken === undefined ? [] : [one('auth.adminToken', adminToken, ['admin'])]),
  ];
}

/** Equal lengths, so that the comparison takes the same time whatever was sent. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
