import { createSecureContext } from 'node:tls';
import { WebSocket as NodeWebSocket } from 'ws';
import { parseAddress } from './address.ts';
import { Client, timingOf, type ConnectOptions } from './client.ts';
import { ClientError } from './client-error.ts';
import { GrpcTransport } from './grpc-transport.ts';
import { fetchWith, type ClientTls } from './node-fetch.ts';
import { tlsProblem } from './tls-problem.ts';
import { MAX_FRAME_BYTES, WebSocketTransport } from './websocket-transport.ts';

/** In Node also certificates of one's own. */
export interface NodeConnectOptions extends ConnectOptions {
  /** For `https`, `wss` and `grpcs`: whom to trust, and what to show. */
  readonly tls?: ClientTls;
}

/**
 * Makes a client for one service, over WebSocket and HTTP or over gRPC, as the URL says. Nothing is sent yet. An open
 * subscription keeps the process alive, through lost connections too, until it or the client is closed.
 *
 * @throws ClientError INVALID_ARGUMENT when the URL or a certificate is none that can be used
 */
export function connect(options: NodeConnectOptions): Client {
  const address = parseAddress(options.url);
  const timing = timingOf(options);
  const { token, tls } = options;
  assertUsable(tls);
  if (address.kind === 'grpc') {
    const { target } = address;
    const secure = address.tls ? (tls ?? {}) : undefined;
    return new Client(new GrpcTransport({ target, tls: secure, token, timing }), timing);
  }
  const openSocket = () =>
    new NodeWebSocket(address.socket, {
      maxPayload: MAX_FRAME_BYTES,
      // Behind a redirect the token would go to somebody else.
      followRedirects: false,
      ...tls,
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    });
  return new Client(
    new WebSocketTransport({ http: address.http, token, timing, openSocket, fetch: fetchWith(tls) }),
    timing,
  );
}

/** @throws ClientError INVALID_ARGUMENT */
function assertUsable(tls: ClientTls | undefined): void {
  if (tls === undefined) return;
  try {
    createSecureContext(tls);
  } catch (error) {
    const message = tlsProblem(error) ?? 'the texts must be certificates and a key in PEM form';
    throw new ClientError('INVALID_ARGUMENT', `tls: ${message}`, error);
  }
}

export type { ClientTls } from './node-fetch.ts';
export * from './api.ts';
