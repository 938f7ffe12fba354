import type { Socket } from 'node:net';
import { isTlsHandshake } from './tls/refusals.ts';

/** How an HTTP/2 client with prior knowledge begins (RFC 9113, 3.4); no HTTP/1 request begins like it. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n', 'latin1');

/** Time for a connection to send its first bytes before it is closed. */
const SILENCE_MS = 10_000;

export type Protocol = 'http1' | 'http2' | 'tls';

/**
 * Reads from a new socket until its protocol is certain, however the bytes are split, and puts them back. Leaves no
 * listeners on the socket, which is paused.
 *
 * @param done gets the protocol, or undefined when the peer left or kept silent for `timeoutMs` (10 s if absent) first
 */
export function detectProtocol(
  socket: Socket,
  timeoutMs: number | undefined,
  done: (protocol: Protocol | undefined) => void,
): void {
  let seen: Buffer = Buffer.alloc(0);

  const finish = (protocol: Protocol | undefined) => {
    clearTimeout(timer);
    clearImmediate(lastLook);
    socket.off('readable', onReadable).off('end', onGone).off('close', onGone);
    // The listener goes first: unshift makes the socket readable again.
    if (seen.length > 0 && protocol !== undefined) socket.unshift(seen);
    done(protocol);
  };
  const onGone = () => finish(undefined);
  const onReadable = () => {
    for (;;) {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) return;
      seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
      const protocol = protocolOf(seen);
      if (protocol !== undefined) return finish(protocol);
    }
  };

  let lastLook: NodeJS.Immediate | undefined;
  // What came while this process stood still is read before its silence is believed: timers go before the network.
  const timer = setTimeout(() => (lastLook = setImmediate(onGone)), timeoutMs ?? SILENCE_MS);
  timer.unref();
  socket.on('readable', onReadable).on('end', onGone).on('close', onGone);
}

/** @returns undefined while `bytes` is a beginning of the preface: at most 15 bytes are ever held back */
export function protocolOf(bytes: Buffer): Protocol | undefined {
  if (isTlsHandshake(bytes)) return 'tls';
  const length = Math.min(bytes.length, PREFACE.length);
  if (bytes.compare(PREFACE, 0, length, 0, length) !== 0) return 'http1';
  return bytes.length >= PREFACE.length ? 'http2' : undefined;
}
