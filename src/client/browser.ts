import { parseAddress } from './address.ts';
import { Client, timingOf, type ConnectOptions } from './client.ts';
import { ClientError } from './client-error.ts';
import type { SocketLike } from './shared-socket.ts';
import { WebSocketTransport } from './websocket-transport.ts';

/**
 * Makes a client for one service, over the browser's own WebSocket and fetch. Nothing is sent yet.
 * A page of another origin needs to be named in the service's `allowedOrigins`.
 *
 * @throws ClientError INVALID_ARGUMENT when the URL is none that can be used
 */
export function connect(options: ConnectOptions): Client {
  const address = parseAddress(options.url);
  if (address.kind === 'grpc') {
    throw new ClientError(
      'INVALID_ARGUMENT',
      'browsers can\'t speak gRPC: give the URL as "http://" or "ws://"',
    );
  }
  const { token, csrf } = options;
  const timing = timingOf(options);
  const openSocket = () => new WebSocket(address.socket, subprotocols(token)) as SocketLike;
  return new Client(new WebSocketTransport({ http: address.http, token, csrf, timing, openSocket }), timing);
}

/** The one place where a browser can put a token of a WebSocket; the first is what the service answers. */
function subprotocols(token: string | undefined): string[] {
  if (token === undefined) return [];
  // RFC 9110, 5.6.2: brackets are no part of a token, and are left alone by the function.
  const encoded = encodeURIComponent(token).replaceAll('(', '%28').replaceAll(')', '%29');
  return ['explain', `explain.bearer.${encoded}`];
}

export * from './api.ts';
