import type { IncomingMessage } from 'node:http';
import { certificateOf } from '../transport/tls/client-certificate.ts';
import { ON_BEHALF_OF } from './on-behalf-of.ts';
import type { Credentials } from './principal.ts';

/** Offered as a WebSocket subprotocol by pages, which cannot set headers; the token after it is percent-encoded. */
const BEARER_SUBPROTOCOL = 'explain.bearer.';

/** What came with an HTTP request, or with one that becomes a WebSocket. */
export function httpCredentials({ headers, socket }: IncomingMessage): Credentials {
  const { 'x-api-key': apiKey, [ON_BEHALF_OF]: onBehalfOf } = headers;
  return {
    connection: socket,
    address: socket.remoteAddress,
    authorization: headers.authorization,
    apiKey: typeof apiKey === 'string' ? apiKey : undefined,
    subprotocols: headers['sec-websocket-protocol'],
    cookie: headers.cookie,
    // One that comes several times has commas, which are wrong in it.
    onBehalfOf: typeof onBehalfOf === 'string' ? onBehalfOf : undefined,
    isEncrypted: isEncrypted(socket),
    certificate: certificateOf(socket),
  };
}

/** The headers that a request is sent on with, so that it is known by them where it goes to. */
export function credentialHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const { authorization } = headers;
  const apiKey = headers['x-api-key'];
  return {
    ...(authorization !== undefined && { authorization }),
    ...(typeof apiKey === 'string' && { 'x-api-key': apiKey }),
  };
}

/** Does a connection speak TLS? */
export function isEncrypted(socket: IncomingMessage['socket']): boolean {
  return 'encrypted' in socket && socket.encrypted === true;
}

/** The token or key among the credentials. */
export function tokenOf({ authorization, apiKey, subprotocols }: Credentials): string | undefined {
  return bearerToken(authorization) ?? apiKey ?? bearerSubprotocol(subprotocols);
}

/** RFC 6750, 2.1. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

function bearerSubprotocol(offered: string | undefined): string | undefined {
  const names = offered?.split(',').map((name) => name.trim());
  const own = names?.find((name) => name.startsWith(BEARER_SUBPROTOCOL));
  if (own === undefined) return undefined;
  try {
    return decodeURIComponent(own.slice(BEARER_SUBPROTOCOL.length));
  } catch {
    return undefined;
  }
}

/**
 * The subprotocol that is answered: browsers end a connection whose offers were all passed over. One that holds a token
 * is answered only where nothing else was offered.
 */
export function chosenSubprotocol(offered: ReadonlySet<string>): string | false {
  const [first] = offered;
  return [...offered].find((name) => !name.startsWith(BEARER_SUBPROTOCOL)) ?? first ?? false;
}
