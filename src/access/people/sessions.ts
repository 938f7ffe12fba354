import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { sharedAbort } from '../../base/shared-abort.ts';
import { networkOf } from '../network-of.ts';
import type { Principal } from '../principal.ts';
import type { LoginAudit } from './access-audit.ts';
import type { LoggedIn, Person } from './person.ts';

/** As many as a company has people at their screens; about 10 KB each with the provider's tokens. */
const MAX_SESSIONS = 2_000;
/** Browsers and devices of one person: whoever logs in over and over pushes out his own sessions only. */
const MAX_OF_ONE = 20;
/** A page that is looked at asks every second or two; a hidden one does not. */
const IDLE_MS = 60 * 60_000;
/** A group that is taken away is so for as long at most, while the provider answers. */
const RENEW_AFTER_MS = 3 * 60_000;
/** What a provider that does not answer said last holds for so long. */
const UNRENEWED_MS = 10 * 60_000;
/** Of who cannot be asked for again. */
const NEVER_RENEWED_MS = 60 * 60_000;
const SWEEP_MS = 15_000;
/** Asked for at once, so that a thousand sessions are no flood for the provider. */
const MAX_RENEWING = 8;
const MINUTES_PER_HOUR = 60;
const MS_PER_MINUTE = 60_000;

/** Whose session it is: a person, or whoever gave a token or key at the log-in page. */
export type SessionOwner =
  | LoggedIn
  /** @throws BoundaryError UNAUTHENTICATED when the token is none any more */
  | { readonly again: () => Principal };

interface Session {
  readonly key: string;
  readonly owner: SessionOwner;
  readonly csrf: string;
  readonly endsAt: number;
  principal: Principal;
  /** Ends connections that the principal opened. */
  held: AbortController;
  usedAt: number;
  /** When it was last known who it is. */
  knownAt: number;
  isRenewing: boolean;
}

export interface SessionsOptions {
  readonly clock: Clock;
  readonly audit: LoginAudit;
  /** After so many hours everybody logs in again. */
  readonly hours: number;
}

/**
 * Who is logged in, by a cookie of which only the hash is kept. They live in memory: after a restart people log in again.
 * While one lives it is asked again and again who the person is, and what may be done.
 */
export class Sessions {
  private readonly options: SessionsOptions;
  /** In the order of last use. */
  private readonly sessions = new Map<string, Session>();
  private sweeping: Timer | undefined;
  private renewing = 0;

  constructor(options: SessionsOptions) {
    this.options = options;
  }

  get size(): number {
    return this.sessions.size;
  }

  /**
   * @param source the address of who logs in
   * @returns the value of the cookie, which is known to nobody else
   */
  open(owner: SessionOwner, source?: string): string {
    const cookie = randomBytes(32).toString('base64url');
    const now = this.options.clock.monotonic();
    const held = sharedAbort();
    const csrf = randomBytes(32).toString('base64url');
    const principal = principalOf('person' in owner ? owner.person : owner.again(), csrf, held);
    const endsAt = now + this.options.hours * MINUTES_PER_HOUR * MS_PER_MINUTE;
    const key = keyOf(cookie);
    const isRenewing = false;
    this.sessions.set(key, {
      key,
      owner,
      csrf,
      endsAt,
      principal,
      held,
      usedAt: now,
      knownAt: now,
      isRenewing,
    });
    this.makeRoom(principal.id);
    this.options.audit.loggedIn({
      ...principal,
      ...(source !== undefined && { from: networkOf(source) }),
    });
    this.sweepLater();
    return cookie;
  }

  /** Who has this cookie now; it counts as use. */
  find(cookie: string): Principal | undefined {
    const session = this.sessions.get(keyOf(cookie));
    if (!session || this.isOver(session)) return undefined;
    session.usedAt = this.options.clock.monotonic();
    this.sessions.delete(session.key);
    this.sessions.set(session.key, session);
    return session.principal;
  }

  /**
   * The person goes.
   * @param back where a provider that says goodbye as well leads to
   * @returns where the browser goes for that
   */
  end(cookie: string, back: string): URL | undefined {
    const session = this.sessions.get(keyOf(cookie));
    if (!session) return undefined;
    this.remove(session, 'logged out');
    return 'person' in session.owner ? session.owner.logOut?.(back) : undefined;
  }

  /** Ends all of them. */
  stop(): void {
    this.sweeping?.cancel();
    for (const session of this.sessions.values()) this.remove(session, 'the service stops');
  }

  /** Also looks again who has a token: one that is no more ends at once. */
  private isOver(session: Session): boolean {
    const why = this.reasonToEnd(session, this.options.clock.monotonic());
    if (why !== undefined) this.remove(session, why);
    return why !== undefined;
  }

  private reasonToEnd({ owner, endsAt, usedAt, knownAt }: Session, now: number): string | undefined {
    if (now >= endsAt) return 'its time is over';
    if (now - usedAt >= IDLE_MS) return 'it was not used for an hour';
    if (!('person' in owner)) return holds(owner.again) ? undefined : 'its token is no more';
    const limit = owner.renew ? UNRENEWED_MS : NEVER_RENEWED_MS;
    return now - knownAt >= limit ? 'the provider does not say who it is' : undefined;
  }

  private remove(session: Session, why: string): void {
    if (!this.sessions.delete(session.key)) return;
    session.held.abort(why);
    this.options.audit.loggedOut(session.principal, why);
  }

  /** Who is idle for longest goes: of the same person, then of all. */
  private makeRoom(id: string): void {
    const mine = [...this.sessions.values()].filter(({ principal }) => principal.id === id);
    const [oldest] = mine.length > MAX_OF_ONE ? mine : this.sessions.values();
    const isFull = mine.length > MAX_OF_ONE || this.sessions.size > MAX_SESSIONS;
    if (isFull && oldest) this.remove(oldest, 'too many are logged in');
  }

  private sweepLater(): void {
    this.sweeping ??= this.options.clock.after(SWEEP_MS, () => {
      this.sweeping = undefined;
      for (const session of this.sessions.values()) if (!this.isOver(session)) void this.renew(session);
      if (this.sessions.size > 0) this.sweepLater();
    });
  }

  private async renew(session: Session): Promise<void> {
    const { owner } = session;
    if (!('person' in owner) || !owner.renew || session.isRenewing || this.renewing >= MAX_RENEWING) return;
    const { clock } = this.options;
    if (clock.monotonic() - session.knownAt < RENEW_AFTER_MS) return;
    session.isRenewing = true;
    this.renewing++;
    try {
      const asked = clock.monotonic();
      const person = await owner.renew();
      if (!this.sessions.has(session.key)) return;
      if (person) {
        session.knownAt = asked;
        this.become(session, person);
      } else this.remove(session, 'the provider knows the person no more');
    } catch {
      // It is asked again, until what it said last is too old.
    } finally {
      session.isRenewing = false;
      this.renewing--;
    }
  }

  /** Connections that were opened with other rights end. */
  private become(session: Session, person: Person): void {
    if (sameRights(session.principal, person)) return;
    const { held } = session;
    session.held = sharedAbort();
    session.principal = principalOf(person, session.csrf, session.held);
    held.abort('what you may do has changed');
  }
}

/** Is this the token that goes with the session? Takes the same time for all of one length. */
export function isCsrfOf(principal: Principal, given: string | undefined): boolean {
  const wanted = Buffer.from(principal.session?.csrf ?? '');
  const got = Buffer.from(given ?? '');
  return got.length > 0 && got.length === wanted.length && timingSafeEqual(got, wanted);
}

function keyOf(cookie: string): string {
  return createHash('sha256').update(cookie).digest('base64');
}

function principalOf(who: Person | Principal, csrf: string, held: AbortController): Principal {
  const { id, name, roles, project } = who;
  const known: Principal = 'by' in who ? who : { by: 'person', id, name, roles, project };
  return { ...known, session: { csrf, ended: held.signal } };
}

function sameRights(a: Person, b: Person): boolean {
  return a.project === b.project && a.name === b.name && a.roles.join() === b.roles.join();
}

function holds(again: () => Principal): boolean {
  try {
    again();
    return true;
  } catch (error) {
    // Where others try tokens from the same address it is not looked at for a while.
    return error instanceof BoundaryError && error.code !== 'UNAUTHENTICATED';
  }
}
