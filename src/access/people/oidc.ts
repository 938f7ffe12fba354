import type * as OpenId from 'openid-client';
import type { Clock } from '../../base/clock.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { oidcPerson } from './oidc-person.ts';
import { LoginRefused, type LoggedIn, type Person } from './person.ts';
import type { OidcSettings } from './settings.ts';

/** From the way to the provider until the way back: finding a password, and a second factor. */
const PENDING_MS = 10 * 60_000;
/** By so much the clocks of two machines that are set by the network differ at most. */
const CLOCK_TOLERANCE_SECONDS = 30;
const ANSWER_SECONDS = 10;
/** A provider that was not reached is described anew at the next log-in; one that was, after this: keys and paths change. */
const DESCRIPTION_MS = 60 * 60_000;
/** Log-ins that came back and may not again, 100 bytes each: those of ten minutes, at 16 a second. */
const MAX_FINISHED = 10_000;

type Library = typeof OpenId;

/** What the browser keeps, sealed, while it is at the provider. */
export interface PendingLogin {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Where the provider leads back to. */
  readonly callback: string;
  /** Where the page goes afterwards: a path of ours. */
  readonly to: string;
  readonly until: number;
}

interface Described {
  readonly at: number;
  readonly provider: Promise<OpenId.Configuration>;
}

/** Log-in by OpenID Connect: authorization code with PKCE, the ID token verified by the provider's keys. */
export class OidcLogin {
  private readonly settings: OidcSettings;
  private readonly clock: Clock;
  private readonly library: Library;
  private described: Described | undefined;
  /** The `state` of those that came back, the one that did so longest ago first. */
  private readonly finished = new Set<string>();

  private constructor(settings: OidcSettings, clock: Clock, library: Library) {
    this.settings = settings;
    this.clock = clock;
    this.library = library;
  }

  /** Loads what speaks the protocol; nobody is asked yet, so that a provider that is down does not keep the service from starting. */
  static async load(settings: OidcSettings, clock: Clock): Promise<OidcLogin> {
    return new OidcLogin(settings, clock, await import('openid-client'));
  }

  /**
   * @param callback where the provider leads back to
   * @param to where the page goes afterwards
   * @throws LoginRefused unreachable
   */
  async begin(callback: string, to: string): Promise<{ readonly url: URL; readonly pending: PendingLogin }> {
    const { library, settings } = this;
    const provider = await this.provider();
    const verifier = library.randomPKCECodeVerifier();
    const pending: PendingLogin = {
      state: library.randomState(),
      nonce: library.randomNonce(),
      verifier,
      callback,
      to,
      until: this.clock.now() + PENDING_MS,
    };
    const url = library.buildAuthorizationUrl(provider, {
      redirect_uri: callback,
      scope: settings.scopes,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      // Without it providers give no token to ask again with.
      ...(settings.scopes.split(' ').includes('offline_access') && { prompt: 'consent' }),
    });
    return { url, pending };
  }

  /**
   * @param query with which the browser came back
   * @param pending what was sealed at the beginning; it is good once
   * @throws LoginRefused
   */
  async finish(query: URLSearchParams, pending: PendingLogin): Promise<LoggedIn> {
    const isOver = this.clock.now() > pending.until || this.finished.has(pending.state);
    if (isOver || query.get('state') !== pending.state) throw new LoginRefused('state');
    this.finished.add(pending.state);
    const [first] = this.finished;
    if (this.finished.size > MAX_FINISHED && first !== undefined) this.finished.delete(first);
    if (query.has('error')) throw new LoginRefused('cancelled');
    const provider = await this.provider();
    const url = new URL(pending.callback);
    url.search = query.toString();
    const tokens = await this.library
      .authorizationCodeGrant(provider, url, {
        pkceCodeVerifier: pending.verifier,
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        idTokenExpected: true,
      })
      .catch((error: unknown) => {
        throw new LoginRefused(isUnanswered(error) ? 'unreachable' : 'answer', error);
      });
    const claims = tokens.claims();
    if (!claims) throw new LoginRefused('answer');
    const person = oidcPerson(this.settings, await this.withUserInfo(provider, claims, tokens.access_token));
    if (!person) throw new LoginRefused('role');
    const tokenOf = { refresh: tokens.refresh_token, id: tokens.id_token };
    return {
      person,
      ...(tokenOf.refresh !== undefined && { renew: () => this.renew(tokenOf, claims.sub) }),
      logOut: (back) => this.logOut(provider, tokenOf, back),
    };
  }

  /** @throws when the provider does not answer */
  private async renew(
    tokens: { refresh: string | undefined; id: string | undefined },
    subject: string,
  ): Promise<Person | undefined> {
    const provider = await this.provider();
    try {
      const fresh = await this.library.refreshTokenGrant(provider, tokens.refresh ?? '');
      // Many providers take each only once.
      tokens.refresh = fresh.refresh_token ?? tokens.refresh;
      tokens.id = fresh.id_token ?? tokens.id;
      const claims = fresh.claims() ?? { sub: subject };
      if (claims.sub !== subject) return undefined;
      return oidcPerson(this.settings, await this.withUserInfo(provider, claims, fresh.access_token));
    } catch (error) {
      if (error instanceof this.library.ResponseBodyError && error.error === 'invalid_grant')
        return undefined;
      throw error;
    }
  }

  /** Providers tell groups in the ID token, or where one asks for them. */
  private async withUserInfo(
    provider: OpenId.Configuration,
    claims: { readonly sub: string; readonly [claim: string]: unknown },
    accessToken: string,
  ): Promise<Readonly<Record<string, unknown>>> {
    const [first = ''] = this.settings.rolesClaim.split('.');
    const isTold = this.settings.rolesClaim in claims || first in claims;
    if (isTold || provider.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...claims, ...(await this.library.fetchUserInfo(provider, accessToken, claims.sub)) };
  }

  private logOut(
    provider: OpenId.Configuration,
    tokens: { readonly refresh: string | undefined; readonly id: string | undefined },
    back: string,
  ): URL | undefined {
    const { end_session_endpoint: end, revocation_endpoint: revoke } = provider.serverMetadata();
    // A courtesy: the session is over here in any case.
    if (revoke !== undefined && tokens.refresh !== undefined)
      this.library.tokenRevocation(provider, tokens.refresh).catch(() => undefined);
    if (end === undefined) return undefined;
    return this.library.buildEndSessionUrl(provider, {
      post_logout_redirect_uri: back,
      ...(tokens.id !== undefined && { id_token_hint: tokens.id }),
    });
  }

  private async provider(): Promise<OpenId.Configuration> {
    const now = this.clock.monotonic();
    if (!this.described || now - this.described.at > DESCRIPTION_MS)
      this.described = { at: now, provider: this.describe() };
    const { described } = this;
    try {
      return await described.provider;
    } catch (error) {
      if (this.described === described) this.described = undefined;
      throw new LoginRefused('unreachable', error);
    }
  }

  private async describe(): Promise<OpenId.Configuration> {
    const { library, settings } = this;
    const issuer = new URL(settings.issuer);
    const secret = settings.clientSecret;
    return library.discovery(
      issuer,
      settings.clientId,
      { [library.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      secret === undefined ? library.None() : library.ClientSecretBasic(secret),
      {
        timeout: ANSWER_SECONDS,
        [library.customFetch]: (url, options) => boundedFetch(url, options as RequestInit),
        execute: [
          // Signatures are looked at, though the token comes straight from the provider.
          library.enableNonRepudiationChecks,
          // The configuration lets it be loopback only.
          ...(issuer.protocol === 'http:' ? [library.allowInsecureRequests] : []),
        ],
      },
    );
  }
}

/** Did nobody answer, rather than wrongly? */
function isUnanswered(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause.name === 'TimeoutError' || (cause instanceof TypeError && cause.message === 'fetch failed'))
      return true;
  return false;
}
