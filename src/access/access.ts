import { timingSafeEqual } from 'node:crypto';
import { BoundaryError } from '../base/boundary-error.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import { isGuessable } from '../base/guessable.ts';
import { tokenOf } from './credentials.ts';
import { digestOf, isWholeKey, KEY_PREFIX } from './key-text.ts';
import type { Keys } from './keys.ts';
import { DEFAULT_PROJECT } from '../model/project-name.ts';
import { NOBODY, type Access, type Credentials, type Principal, type RefusedEntry } from './principal.ts';
import type { Role } from './roles.ts';
import { WrongTokens } from './wrong-tokens.ts';

interface Tokens {
  readonly token?: string | undefined;
  readonly adminToken?: string | undefined;
  /** Not to be guessed: a gateway is not slowed down by wrong tokens that come from where it is. */
  readonly gatewayToken?: string | undefined;
}

/** The setting `auth`: everybody, unless there are keys; who has a key; who has a key or a token. */
export type AuthOption = 'none' | 'keys' | Tokens;

export interface AccessOptions {
  readonly keys?: Pick<Keys, 'find' | 'watch' | 'areAsked'>;
  readonly clock?: Clock;
  /** Told of whom a way in refuses. */
  readonly onRefused?: (refused: RefusedEntry) => void;
}

interface KnownToken {
  readonly digest: Buffer;
  readonly isGuessable: boolean;
  readonly principal: Principal;
}

const SEND = 'send a token or key as `Authorization: Bearer …` or `x-api-key`; people log in at /login';
const SLOWED_MS = 1_000;

/** Knows the tokens of the settings, and the keys. Where there are neither, everybody sends and operates. */
export function createAccess(auth: AuthOption, options: AccessOptions = {}): Access {
  const { keys, clock = systemClock, onRefused } = options;
  const known = typeof auth === 'object' ? tokensOf(auth) : [];
  const wrong = new WrongTokens(clock);

  function principalOf(token: string, { address }: Credentials): Principal {
    const owner = keys?.find(token);
    if (owner === 'expired') throw unknown('the key has expired: ask for another');
    if (owner !== undefined) return owner;
    const holder = holderOf(known, token);
    // What cannot be guessed is always answered; all else is taken for right only as fast as it may be tried.
    if (holder?.isGuessable !== false && wrong.isSlowed(address)) throw new SlowedDown();
    if (holder === undefined) throw refusal(token, address);
    wrong.right(address);
    return holder.principal;
  }

  function refusal(token: string, address: string | undefined): BoundaryError {
    if (wrong.wrong(address, digestOf(token).toString('base64'))) return new SlowedDown();
    if (token.startsWith(KEY_PREFIX) && !isWholeKey(token))
      return unknown('the key is not whole, or mistyped: copy all of it');
    return unknown('the token is none that this service knows');
  }

  return {
    identify(credentials) {
      if (auth === 'none' && keys?.areAsked !== true) return NOBODY;
      const token = tokenOf(credentials);
      if (token === undefined) throw unknown(SEND);
      return principalOf(token, credentials);
    },
    watch: (principal, onEnd) =>
      keys && (principal.by === 'key' || principal.id === NOBODY.id)
        ? keys.watch(principal.id, onEnd)
        : () => undefined,
    refused: (refused) => onRefused?.(refused),
  };
}

/** All are compared, so that the time tells nothing. */
function holderOf(known: readonly KnownToken[], token: string): KnownToken | undefined {
  const given = digestOf(token);
  let found: KnownToken | undefined;
  for (const one of known) if (timingSafeEqual(given, one.digest)) found = one;
  return found;
}

function tokensOf({ token, adminToken, gatewayToken }: Tokens): readonly KnownToken[] {
  const one = (name: string, secret: string, roles: readonly Role[]): KnownToken => ({
    digest: digestOf(secret),
    isGuessable: isGuessable(secret),
    principal: { by: 'token', id: name, name, roles, project: DEFAULT_PROJECT },
  });
  return [
    ...(token === undefined ? [] : [one('auth.token', token, ['sender', 'operator'])]),
    ...(adminToken === undefined ? [] : [one('auth.adminToken', adminToken, ['admin'])]),
    ...(gatewayToken === undefined ? [] : [one('auth.gatewayToken', gatewayToken, ['gateway'])]),
  ];
}

function unknown(message: string): BoundaryError {
  return new BoundaryError('UNAUTHENTICATED', message);
}

/** Wrong tokens came from there, too many to look at this one. */
export class SlowedDown extends BoundaryError {
  constructor() {
    super('RESOURCE_EXHAUSTED', 'too many wrong tokens came from this address: send the right one, later', {
      retryAfterMs: SLOWED_MS,
    });
  }
}
