import type { Duplex } from 'node:stream';
import { rawAnswer } from './security-headers.ts';

/** HTTP status by error code, for what node:http rejects before there is a request. */
const PROBLEMS: Readonly<Record<string, readonly [status: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request took too long to arrive'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the headers are too large'],
};

/** `rawPacket`: the bytes that could not be read. */
interface ClientError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

/**
 * A `clientError` listener of node:http: answers as the port answers every other error, then the socket closes.
 * @param notHttp what is said to a peer that does not speak HTTP/1.1
 * @param bodyOf the JSON of an error with this message
 */
export function clientErrorAnswer(
  notHttp: string,
  bodyOf: (message: string) => string,
): (error: ClientError, socket: Duplex) => void {
  return (error, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const [status, message] = PROBLEMS[error.code ?? ''] ?? ['400 Bad Request', notHttp];
    socket.end(rawAnswer(status, 'application/json; charset=utf-8', bodyOf(message)));
  };
}
