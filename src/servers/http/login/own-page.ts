import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BoundaryError } from '../../../base/boundary-error.ts';
import { isEncrypted } from '../../../access/credentials.ts';
import { isCsrfOf } from '../../../access/people/sessions.ts';
import type { Principal } from '../../../access/principal.ts';
import { isLoopback, isOwnOrigin } from '../../../transport/host-origin-check.ts';

export const CSRF_HEADER = 'x-explain-csrf';

/** RFC 9110, 9.2.1. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whatever changes something and came by cookie must come from our own page, which alone reads the token of its session.
 * @throws BoundaryError PERMISSION_DENIED
 */
export function checkCsrf(request: IncomingMessage, principal: Principal): void {
  if (principal.session === undefined || SAFE.has(request.method ?? '')) return;
  checkOwnPage(request.headers);
  if (isCsrfOf(principal, request.headers[CSRF_HEADER]?.toString())) return;
  throw new BoundaryError(
    'PERMISSION_DENIED',
    `with the cookie of a log-in a change needs the header ${CSRF_HEADER}, whose value GET /api/me gives; programs use a key instead`,
  );
}

/** Not another port of this host either, which is the same site. @throws BoundaryError PERMISSION_DENIED */
export function checkOwnPage(headers: IncomingHttpHeaders): void {
  const site = headers['sec-fetch-site'];
  if (isOwnOrigin(headers) && (site === undefined || site === 'same-origin')) return;
  throw new BoundaryError(
    'PERMISSION_DENIED',
    'this is for the own page of the service: its Origin is asked for',
  );
}

/** The service as the browser reaches it. */
export interface Reached {
  /** Without a slash at its end. */
  readonly base: string;
  /** Cookies are for TLS only. */
  readonly isSecure: boolean;
}

/**
 * @param url of the setting `people`, which says it where a proxy stands in front
 * @throws BoundaryError FAILED_PRECONDITION where passwords and cookies would go over the network as they are
 */
export function reachedAt(request: IncomingMessage, url: string | undefined): Reached {
  const { host = '' } = request.headers;
  const isSecure = isReachedByTls(request, url);
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (!isSecure && !isLoopback(name)) {
    throw new BoundaryError(
      'FAILED_PRECONDITION',
      'people log in over https only, or at an address of this machine: set `tls`, or `people.url` where a proxy in front has it',
    );
  }
  const base = url?.replace(/\/$/, '') ?? `${isSecure ? 'https' : 'http'}://${host}`;
  return { base, isSecure };
}

/** @param url of the setting `people` */
export function isReachedByTls({ headers, socket }: IncomingMessage, url: string | undefined): boolean {
  // The Origin is the page's own, as was checked: behind a proxy that ends TLS it tells what the browser sees.
  return isEncrypted(socket) || [url, headers.origin].some((one) => one?.startsWith('https:') === true);
}

/** A path of ours to go to; else the beginning. What begins with two slashes, or a slash and a backslash, is another host. */
export function ownPath(given: string | null): string {
  return given !== null && given.length <= MAX_PATH && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(given)
    ? given
    : '/';
}

const MAX_PATH = 1_500;
