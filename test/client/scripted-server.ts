import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createRawServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { WebSocketServer, type WebSocket } from 'ws';

type Frame = { readonly type: string; readonly requestId?: string; readonly request?: object };

export interface Script {
  /** For each frame of a client but pings, which are answered; the connections are counted from 1. */
  frame?(frame: Frame, socket: WebSocket, connection: number): void;
  /** Instead of the handshake. */
  upgrade?(request: IncomingMessage, socket: Socket, connection: number): void;
  /** Plain HTTP requests; without it they are left open. */
  readonly http?: RequestListener;
  /** Pings, too, are for `frame`. */
  readonly silent?: true;
}

/** A server that speaks our WebSocket protocol as badly as the test wants. Resolves with its `http://` URL. */
export async function scripted(t: Pick<TestContext, 'after'>, script: Script): Promise<string> {
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer(script.http ?? (() => undefined));
  let connections = 0;
  server.on('upgrade', (request, socket, head) => {
    const connection = ++connections;
    socket.on('error', () => undefined);
    if (script.upgrade !== undefined) {
      script.upgrade(request, socket as Socket, connection);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => undefined);
      webSocket.on('message', (data) => {
        const frame = JSON.parse((data as Buffer).toString()) as Frame;
        if (frame.type !== 'ping' || script.silent) script.frame?.(frame, webSocket, connection);
        else webSocket.send(JSON.stringify({ type: 'pong', requestId: frame.requestId }));
      });
    });
  });
  return listen(t, server);
}

/** A TCP server. Resolves with its `http://` URL. */
export function raw(t: Pick<TestContext, 'after'>, onConnection: (socket: Socket) => void): Promise<string> {
  const server = createRawServer((socket) => {
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  return listen(t, server);
}

function listen(t: Pick<TestContext, 'after'>, server: Server): Promise<string> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });
}
