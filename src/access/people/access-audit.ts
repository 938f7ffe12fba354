import type { LoginRefusal } from './person.ts';

/** Who came in, went, or was refused, for the audit log. Never a name that was typed, a password or a token. */
export interface LoginAudit {
  /** @param id of the principal */
  loggedIn(id: string): void;
  loggedOut(id: string, why: string): void;
  loginRefused(reason: LoginRefusal): void;
}
