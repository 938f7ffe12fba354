import { WebSocket as NodeWebSocket } from 'ws';
import { parseAddress } from './address.ts';
import { Client, timingOf } from './client.ts';
import type { ConnectOptions } from './client.ts';
import { GrpcTransport } from './grpc-transport.ts';
import { MAX_FRAME_BYTES, WebSocketTransport } from './websocket-transport.ts';

/**
 * Makes a client for one service, over WebSocket and HTTP or over gRPC, as the URL says. Nothing is sent yet. An open
 * subscription keeps the process alive, through lost connections too, until it or the client is closed.
 *
 * @throws ClientError INVALID_ARGUMENT when the URL is none that can be used
 */
export function connect(options: ConnectOptions): Client {
  const address = parseAddress(options.url);
  const timing = timingOf(options);
  const { token } = options;
  if (address.kind === 'grpc') {
    const { target, tls } = address;
    return new Client(new GrpcTransport({ target, tls, token, timing }), timing);
  }
  const openSocket = () =>
    new NodeWebSocket(address.socket, {
      maxPayload: MAX_FRAME_BYTES,
      // Behind a redirect the token would go to somebody else.
      followRedirects: false,
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    });
  return new Client(new WebSocketTransport({ http: address.http, token, timing, openSocket }), timing);
}

export * from './api.ts';
