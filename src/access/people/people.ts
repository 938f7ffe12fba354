import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { Principal } from '../principal.ts';
import type { LoginAudit } from './access-audit.ts';
import { LdapLogin } from './ldap.ts';
import { LoginPace } from './login-pace.ts';
import { OidcLogin, type PendingLogin } from './oidc.ts';
import { LoginRefused, type LoggedIn } from './person.ts';
import { Seal } from './sealed.ts';
import { Sessions } from './sessions.ts';
import type { LdapSettings, OidcSettings } from './settings.ts';

export interface PeopleSettings {
  /** After so many hours everybody logs in again. */
  readonly sessionHours?: number | undefined;
  readonly oidc?: OidcSettings | undefined;
  readonly ldap?: LdapSettings | undefined;
}

export interface PeopleOptions {
  readonly settings: PeopleSettings;
  readonly clock: Clock;
  readonly audit: LoginAudit;
  /** Who has this token or key. @throws BoundaryError UNAUTHENTICATED, RESOURCE_EXHAUSTED when the address tries many */
  readonly byToken: (token: string, address: string) => Principal;
}

/** A working day. */
const DEFAULT_HOURS = 8;

/** Who may be let in how. */
export interface LoginWays {
  readonly oidc: boolean;
  readonly ldap: boolean;
}

/** Lets people in, and knows who is. */
export class People {
  readonly sessions: Sessions;
  readonly ways: LoginWays;
  private readonly options: PeopleOptions;
  private oidc: OidcLogin | undefined;
  private ldap: LdapLogin | undefined;
  private readonly pace: LoginPace;
  private readonly seal = new Seal();

  constructor(options: PeopleOptions) {
    const { settings, clock, audit } = options;
    this.options = options;
    this.ways = { oidc: settings.oidc !== undefined, ldap: settings.ldap !== undefined };
    this.pace = new LoginPace(clock);
    this.sessions = new Sessions({ clock, audit, hours: settings.sessionHours ?? DEFAULT_HOURS });
  }

  /**
   * Loads what the ways in need, and nothing else. Neither the provider nor the directory is asked yet.
   * @throws BoundaryError FAILED_PRECONDITION when the file of certificates cannot be read
   */
  async load(): Promise<void> {
    const { settings, clock } = this.options;
    this.oidc = settings.oidc && (await OidcLogin.load(settings.oidc, clock));
    this.ldap = settings.ldap && (await LdapLogin.load(settings.ldap, clock));
  }

  /** Ends every session. */
  stop(): void {
    this.sessions.stop();
  }

  /**
   * Sends somebody to the provider.
   * @param callback where it leads back to
   * @param to where the page goes afterwards
   * @param source the address that it comes from
   * @returns where the browser goes, and what it keeps meanwhile
   */
  async beginOidc(
    callback: string,
    to: string,
    source: string,
  ): Promise<{ readonly url: URL; readonly kept: string }> {
    if (!this.oidc) throw new LoginRefused('unreachable');
    return this.told(
      async (oidc) => {
        const { url, pending } = await oidc.begin(callback, to);
        return { url, kept: this.seal.close(pending) };
      },
      this.oidc,
      source,
    );
  }

  /**
   * Takes in who comes back from the provider.
   * @param source the address that it comes from
   * @param kept by the browser since the beginning
   * @returns the cookie of the session, and where the page goes
   */
  async finishOidc(
    source: string,
    query: URLSearchParams,
    kept: string | undefined,
  ): Promise<{ cookie: string; to: string }> {
    return this.told(
      async (oidc) => {
        // Nobody else could have sealed it.
        const pending = kept === undefined ? undefined : (this.seal.open(kept) as PendingLogin | undefined);
        if (!oidc || !pending) throw new LoginRefused('state');
        const loggedIn = await this.pace.attempt(source, undefined, () => oidc.finish(query, pending));
        return { cookie: this.sessions.open(loggedIn, source), to: pending.to };
      },
      this.oidc,
      source,
    );
  }

  /** @param source the address that it comes from @returns the cookie of the session */
  async logInByName(source: string, name: string, password: string): Promise<string> {
    return this.told(
      async (ldap) => {
        const check = async (): Promise<LoggedIn> => {
          if (!ldap) throw new LoginRefused('unreachable');
          return ldap.logIn(name, password);
        };
        return this.sessions.open(await this.pace.attempt(source, name, check), source);
      },
      this.ldap,
      source,
    );
  }

  /** For the page, which sends a token once and then has a session. @returns the cookie of it */
  async logInByToken(source: string, token: string): Promise<string> {
    const again = (): Principal => this.options.byToken(token, source);
    const check = async (): Promise<void> => {
      try {
        again();
      } catch (error) {
        const isSlowed = error instanceof BoundaryError && error.code === 'RESOURCE_EXHAUSTED';
        throw new LoginRefused(isSlowed ? 'pace' : 'token', error);
      }
    };
    return this.told(
      async () => {
        await this.pace.attempt(source, undefined, check);
        return this.sessions.open({ again }, source);
      },
      undefined,
      source,
      token,
    );
  }

  /** Every refusal is told of, once. */
  private async told<W, T>(
    logIn: (way: W) => Promise<T>,
    way: W,
    source: string,
    token?: string,
  ): Promise<T> {
    try {
      return await logIn(way);
    } catch (error) {
      if (error instanceof LoginRefused) this.options.audit.loginRefused(error.reason, source, token);
      throw error;
    }
  }
}
