import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { rawAnswer } from '../security-headers.ts';
import type { Seldom } from '../seldom.ts';

/** Type of a record of TLS that begins a handshake (RFC 8446, 5.1); no request of HTTP begins like it. */
const HANDSHAKE_RECORD = 0x16;
/**
 * An alert that ends a connection: unexpected_message (RFC 8446, 6.2), in a record of TLS 1.0 as every version reads it.
 * Rarely sent by anybody else, so who sees it can know what it means here.
 */
const UNEXPECTED_MESSAGE_ALERT = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x0a]);

/** Whether a connection begins as TLS does. */
export function isTlsHandshake(first: Buffer): boolean {
  return first[0] === HANDSHAKE_RECORD;
}

/** Answers TLS on a port without it. */
export function refuseTls(socket: Duplex, log: Seldom): void {
  log.warn('a client spoke TLS to a port without it: give it http:// or plain text, or set `tls`');
  closeWith(socket, UNEXPECTED_MESSAGE_ALERT);
}

/** Answers plain text on a port with TLS. */
export function refusePlainText(socket: Socket, log: Seldom): void {
  log.warn('a client spoke plain text to a port that speaks TLS: give it https://, or TLS');
  closeWith(
    socket,
    httpError('this port speaks TLS: https://… (WebSocket wss://…, gRPC with TLS) in place of http://…'),
  );
}

/** Answers who has no certificate that is taken, in the protocol that the handshake settled. */
export function refuseCertificate(socket: TLSSocket, problem: string, log: Seldom): void {
  log.warn(`a client was refused for its certificate: ${problem}`);
  const message = `the client certificate: ${problem}`;
  closeWith(socket, socket.alpnProtocol === 'h2' ? http2Goodbye(message) : httpError(message));
}

/** What comes until the peer has closed, too, is read: else the system would take the answer back. */
function closeWith(socket: Duplex, answer: Buffer): void {
  socket.resume();
  socket.end(answer);
}

function httpError(message: string): Buffer {
  const body = JSON.stringify({ error: { code: 'INVALID_ARGUMENT', message } });
  return Buffer.from(rawAnswer('400 Bad Request', 'application/json; charset=utf-8', body));
}

/** Empty SETTINGS, and GOAWAY with INADEQUATE_SECURITY and the reason (RFC 9113, 3.4, 6.5 and 6.8). */
function http2Goodbye(reason: string): Buffer {
  const SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
  const text = Buffer.from(reason);
  const goAway = Buffer.alloc(9 + 8);
  goAway.writeUIntBE(8 + text.length, 0, 3);
  goAway[3] = 7;
  goAway.writeUInt32BE(0x0c, 9 + 4);
  return Buffer.concat([SETTINGS, goAway, text]);
}
