import type { Principal } from '../principal.ts';
import type { LoginRefusal } from './person.ts';

/** Who came in, went, or was refused, for the audit log. Never a name that was typed, a password or a token. */
export interface LoginAudit {
  loggedIn(principal: Principal): void;
  loggedOut(principal: Principal, why: string): void;
  /** @param source the address that it came from @param token that was tried: of it a fingerprint is kept */
  loginRefused(reason: LoginRefusal, source: string, token?: string): void;
}
