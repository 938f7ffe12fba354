import type { Duplex } from 'node:stream';

/** What node:http finds wrong before there is a request (its error codes), as the status that says so. */
const STATUS: Readonly<Record<string, readonly [status: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request took too long to arrive'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the headers are too large'],
};
const BAD_REQUEST = ['400 Bad Request', 'this is neither HTTP/1.1 nor HTTP/2'] as const;

/** A `clientError` listener of node:http: the answer has the shape of every other error, then the socket closes. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, message] = STATUS[error.code ?? ''] ?? BAD_REQUEST;
  const body = JSON.stringify({ error: { code: 'INVALID_ARGUMENT', message } });
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
