import type { IncomingMessage } from 'node:http';
import { BoundaryError } from '../../base/boundary-error.ts';
import { inflightExhausted, tooLargeBody } from '../inflate.ts';
import type { Reservation } from '../inflight-bytes.ts';

/**
 * Reads a request's body as it came over the wire, at most `maxBytes` of it.
 * @throws BoundaryError TOO_LARGE, RESOURCE_EXHAUSTED (in-flight limit), UNAVAILABLE (the sender went away)
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  reservation: Reservation,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    const fail = (error: BoundaryError): void => {
      request.off('data', onData);
      pieces.length = 0;
      reject(error);
    };
    const onData = (piece: Buffer): void => {
      size += piece.length;
      if (size > maxBytes) fail(tooLargeBody(maxBytes));
      else if (!reservation.grow(piece.length)) fail(inflightExhausted());
      else pieces.push(piece);
    };
    request.on('data', onData);
    request.on('end', () => resolve(Buffer.concat(pieces, size)));
    // 'close' without 'end' means that the sender went away; after 'end' it changes nothing.
    request.on('close', () => fail(new BoundaryError('UNAVAILABLE', 'the request was cut off')));
    request.on('error', () => fail(new BoundaryError('UNAVAILABLE', 'the request was cut off')));
  });
}

/**
 * Lets the rest of a refused body run into nothing, so that its sender gets to read the answer; a sender that
 * goes on for more than `maxBytes` is cut off.
 */
export function discardRest(request: IncomingMessage, maxBytes: number): void {
  if (request.readableEnded || request.destroyed) return;
  let size = 0;
  request.on('data', (piece: Buffer) => {
    size += piece.length;
    if (size > maxBytes) request.socket.destroy();
  });
  request.resume();
}
