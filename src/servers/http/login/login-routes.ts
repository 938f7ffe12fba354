import type { IncomingMessage, ServerResponse } from 'node:http';
import { httpCredentials, tokenOf } from '../../../access/credentials.ts';
import { LOGIN_REFUSALS, LoginRefused, type LoginRefusal } from '../../../access/people/person.ts';
import type { People } from '../../../access/people/people.ts';
import { networkOf } from '../../../access/network-of.ts';
import { isCsrfOf } from '../../../access/people/sessions.ts';
import type { Access, Principal } from '../../../access/principal.ts';
import { allows, RIGHTS } from '../../../access/roles.ts';
import { BoundaryError, invalid, type BoundaryCode } from '../../../base/boundary-error.ts';
import type { Seldom } from '../../../transport/seldom.ts';
import { readObject } from '../read-object.ts';
import { jsonAnswer, type HttpAnswer, type HttpRequest, type Route } from '../route.ts';
import {
  clearPending,
  clearSession,
  pendingCookie,
  sessionCookie,
  setPending,
  setSession,
} from '../../../access/people/cookies.ts';
import { checkOwnPage, CSRF_HEADER, isReachedByTls, ownPath, reachedAt } from './own-page.ts';

export interface LoginRouteOptions {
  readonly people: People;
  /** `people.url`. */
  readonly url: string | undefined;
  readonly access: Access;
  readonly seldom: Seldom;
}

/** A name, a password and a token have some hundred characters. */
const MAX_TYPED = 8_192;

/** In and out, and who am I. */
export function loginRoutes(options: LoginRouteOptions): readonly Route[] {
  const { people, url, access } = options;
  const ways = { token: true, ...people.ways };
  return [
    open('GET', '/login/ways', () => jsonAnswer(200, ways)),
    open('GET', '/login/oidc', ({ raw, query }, response) =>
      unlessRefused(options, raw, response, async () => {
        if (!people.ways.oidc) throw notSet('oidc');
        const { base, isSecure } = reachedAt(raw, url);
        const begun = await people.beginOidc(
          `${base}/login/callback`,
          ownPath(query.get('to')),
          sourceOf(raw),
        );
        response.appendHeader('Set-Cookie', setPending(begun.kept, isSecure));
        return seeOther(begun.url.href);
      }),
    ),
    open('GET', '/login/callback', ({ raw, query }, response) =>
      unlessRefused(options, raw, response, async () => {
        const { isSecure } = reachedAt(raw, url);
        response.appendHeader('Set-Cookie', clearPending(isSecure));
        const { cookie, to } = await people.finishOidc(
          sourceOf(raw),
          query,
          pendingCookie(raw.headers.cookie, isSecure),
        );
        begin(options, raw, response, cookie);
        return seeOther(`..${to}`);
      }),
    ),
    open('POST', '/login/ldap', async (request, response) => {
      if (!people.ways.ldap) throw notSet('ldap');
      const [name, password] = await typed(request, 'name', 'password');
      return logIn(options, request.raw, response, (source) => people.logInByName(source, name, password));
    }),
    open('POST', '/login/token', async (request, response) => {
      const [token] = await typed(request, 'token');
      return logIn(options, request.raw, response, (source) => people.logInByToken(source, token));
    }),
    open('POST', '/logout', ({ raw }, response) => {
      const cookie = sessionCookie(raw.headers.cookie, isReachedByTls(raw, url));
      const principal = cookie === undefined ? undefined : people.sessions.find(cookie);
      fromOwnPage(
        options,
        raw,
        'POST /logout',
        () => {
          if (principal && !isCsrfOf(principal, raw.headers[CSRF_HEADER]?.toString()))
            throw new BoundaryError(
              'PERMISSION_DENIED',
              `the header ${CSRF_HEADER} is not the one of this log-in`,
            );
        },
        principal && { ...principal, from: networkOf(sourceOf(raw)) },
      );
      for (const isSecure of [true, false]) response.appendHeader('Set-Cookie', clearSession(isSecure));
      const next =
        cookie === undefined ? undefined : people.sessions.end(cookie, `${reachedAt(raw, url).base}/login`);
      return jsonAnswer(200, { ...(next && { next: next.href }) });
    }),
    open('GET', '/api/me', ({ raw }) => jsonAnswer(200, whoIs(identified(access, raw)))),
  ];
}

function open(method: Route['method'], path: string, handle: Route['handle']): Route {
  return { method, path, needs: 'nothing', handle };
}

/** A page without a log-in asks as well: only who shows a wrong token is on record. */
function identified(access: Access, raw: IncomingMessage): Principal {
  const credentials = httpCredentials(raw);
  try {
    return access.identify(credentials);
  } catch (thrown) {
    const error = BoundaryError.from(thrown);
    if (tokenOf(credentials) !== undefined) access.refused({ way: 'GET /api/me', error, credentials });
    throw error;
  }
}

/** Of a principal, what the page shows and needs. */
function whoIs({ by, name, roles, project, session }: Principal): object {
  const rights = RIGHTS.filter((right) => allows(roles, right));
  return { by, name, roles, rights, project, ...(session && { csrf: session.csrf }) };
}

/** @throws BoundaryError FAILED_PRECONDITION over plain text, PERMISSION_DENIED for other pages, and what the refusal is */
async function logIn(
  options: LoginRouteOptions,
  raw: IncomingMessage,
  response: ServerResponse,
  enter: (source: string) => Promise<string>,
): Promise<HttpAnswer> {
  fromOwnPage(options, raw, 'POST /login');
  reachedAt(raw, options.url);
  try {
    begin(options, raw, response, await enter(sourceOf(raw)));
    return jsonAnswer(200, {});
  } catch (error) {
    if (!(error instanceof LoginRefused)) throw error;
    log(options, error);
    throw new BoundaryError(
      CODES[error.reason],
      error.message,
      error.reason === 'pace' ? { retryAfterMs: 30_000 } : {},
    );
  }
}

/** A page of somebody else that has a browser log in or out is on record. @param check what else is asked for */
function fromOwnPage(
  { access }: LoginRouteOptions,
  raw: IncomingMessage,
  way: string,
  check: () => void = () => undefined,
  principal?: Principal,
): void {
  try {
    checkOwnPage(raw.headers);
    check();
  } catch (thrown) {
    const error = BoundaryError.from(thrown);
    access.refused({ way, error, credentials: httpCredentials(raw), principal });
    throw error;
  }
}

function sourceOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? '';
}

/** Whoever was logged in here before is no more. */
function begin(
  { people, url }: LoginRouteOptions,
  raw: IncomingMessage,
  response: ServerResponse,
  cookie: string,
): void {
  const { isSecure } = reachedAt(raw, url);
  const before = sessionCookie(raw.headers.cookie, isSecure);
  if (before !== undefined) people.sessions.end(before, '');
  response.appendHeader('Set-Cookie', setSession(cookie, isSecure));
}

/** Who comes back from a provider sees a page: it says why, and offers to begin again. */
async function unlessRefused(
  options: LoginRouteOptions,
  raw: IncomingMessage,
  response: ServerResponse,
  answer: () => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof LoginRefused)) throw error;
    log(options, error);
    return seeOther(`../login?refused=${error.reason}`);
  }
}

/** The class of what lay behind it; its text may quote what was sent. */
function log({ seldom }: LoginRouteOptions, { reason, cause }: LoginRefused): void {
  const err = cause instanceof Error ? cause.name : undefined;
  seldom.warn(`log-in refused: ${LOGIN_REFUSALS[reason]}`, { reason, ...(err !== undefined && { err }) });
}

const CODES: Readonly<Record<LoginRefusal, BoundaryCode>> = {
  state: 'UNAUTHENTICATED',
  cancelled: 'UNAUTHENTICATED',
  answer: 'UNAUTHENTICATED',
  credentials: 'UNAUTHENTICATED',
  token: 'UNAUTHENTICATED',
  role: 'PERMISSION_DENIED',
  unreachable: 'UNAVAILABLE',
  pace: 'RESOURCE_EXHAUSTED',
};

function seeOther(location: string): HttpAnswer {
  return { status: 303, contentType: 'text/plain; charset=utf-8', body: '', headers: { Location: location } };
}

function notSet(way: string): BoundaryError {
  return new BoundaryError(
    'NOT_FOUND',
    `nobody logs in this way here; the setting \`people.${way}\` lets them`,
  );
}

/** Texts of the body, as they were typed. */
async function typed(request: HttpRequest, ...names: readonly string[]): Promise<[string, string]> {
  const body = readObject(await request.body(), `{${names.map((name) => `"${name}": "…"`).join(', ')}}`);
  const [first = '', second = ''] = names.map((name) => {
    const text = body[name];
    if (typeof text === 'string' && text.length <= MAX_TYPED) return text;
    throw invalid(`\`${name}\` must be a text of at most ${MAX_TYPED} characters`);
  });
  return [first, second];
}
