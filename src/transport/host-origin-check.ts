import { isIP } from 'node:net';
import { BoundaryError } from '../base/boundary-error.ts';

/**
 * Keeps web pages from reading local thoughts and from writing into the graph. A page that resolves its own name
 * to 127.0.0.1 (DNS rebinding) sends that name as `Host`; a page that opens a WebSocket or posts a form across
 * origins sends its `Origin`. Both are refused unless they are known.
 */
export interface HostOriginOptions {
  /** The address that the service listens on. */
  readonly host: string;
  /** Further names the service is reached by, without port. */
  readonly allowedHosts?: readonly string[];
  /** Further origins whose pages may read, as `scheme://host[:port]`. */
  readonly allowedOrigins?: readonly string[];
}

/** The two headers that matter here. */
export interface HostHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}

export interface HostOriginCheck {
  /**
   * @returns the origin to name in `Access-Control-Allow-Origin`: set when a page of another, allowed origin asks
   * @throws BoundaryError PERMISSION_DENIED, naming the setting that would allow it
   */
  check(headers: HostHeaders): string | undefined;
  /**
   * The same for a request that only sends telemetry. A service that listens beyond loopback takes any `Host` then:
   * a Collector uses the name that its network gives the service, and the token decides.
   * @throws BoundaryError PERMISSION_DENIED
   */
  checkSender(headers: HostHeaders): void;
}

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;

export function createHostOriginCheck(options: HostOriginOptions): HostOriginCheck {
  const names = new Set([options.host, ...(options.allowedHosts ?? [])].map(bareName));
  const origins = new Set((options.allowedOrigins ?? []).map((origin) => origin.toLowerCase()));
  const boundWider = !isLoopback(bareName(options.host));

  function hostAllowed(host: string | undefined): boolean {
    const matched = HOST.exec(host ?? '')?.[1];
    if (matched === undefined) return false;
    const name = bareName(matched);
    return isLoopback(name) || names.has(name) || (boundWider && isIP(name) !== 0);
  }

  function checkHost(host: string | undefined): void {
    if (hostAllowed(host)) return;
    throw new BoundaryError(
      'PERMISSION_DENIED',
      'this Host is not one the service answers to; the setting `allowedHosts` adds one',
    );
  }

  function checkOrigin({ host, origin }: HostHeaders): string | undefined {
    if (origin === undefined || sameOrigin(origin, host)) return undefined;
    if (/^vscode-webview:/i.test(origin) || origins.has(origin.toLowerCase())) return origin;
    throw new BoundaryError(
      'PERMISSION_DENIED',
      'pages of this Origin may not use the service; the setting `allowedOrigins` adds one',
    );
  }

  return {
    check(headers) {
      checkHost(headers.host);
      return checkOrigin(headers);
    },
    checkSender(headers) {
      if (!boundWider) checkHost(headers.host);
      checkOrigin(headers);
    },
  };
}

function bareName(name: string): string {
  return name
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

/** RFC 6761 (localhost), RFC 1122 (127/8), RFC 4291 (::1). */
export function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** Does a page of the service itself ask? Unlike the check it takes no request without an Origin, which is no page's. */
export function isOwnOrigin({ host, origin }: HostHeaders): boolean {
  return origin !== undefined && sameOrigin(origin, host);
}

/** The scheme is not compared: behind a proxy that ends TLS the page is https and the request is not. */
function sameOrigin(origin: string, host: string | undefined): boolean {
  if (!/^https?:\/\//i.test(origin) || !URL.canParse(origin)) return false;
  const page = new URL(origin);
  const target = `${page.protocol}//${host}`;
  return URL.canParse(target) && new URL(target).host === page.host;
}
