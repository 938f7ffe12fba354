import {
  createGunzip,
  createInflate,
  createInflateRaw,
  type Gunzip,
  type Inflate,
  type InflateRaw,
} from 'node:zlib';
import { BoundaryError } from '../base/boundary-error.ts';
import type { Reservation } from './inflight-bytes.ts';

/** Output comes in pieces of this size: what a bomb can make beyond its limit. */
const CHUNK_BYTES = 64 * 1024;

export type Compression = 'gzip' | 'deflate';

/**
 * Decompresses a request body, at most `maxBytes` of it; each piece is taken from `reservation` before the
 * next one is made.
 * @throws BoundaryError INVALID_ARGUMENT (damaged), TOO_LARGE, RESOURCE_EXHAUSTED (in-flight limit)
 */
export function inflate(
  body: Buffer,
  compression: Compression,
  maxBytes: number,
  reservation: Reservation,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stream = decompressor(body, compression);
    const pieces: Buffer[] = [];
    let size = 0;
    const fail = (error: BoundaryError): void => {
      stream.destroy();
      pieces.length = 0;
      reject(error);
    };
    stream.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > maxBytes) fail(tooLargeInflated(maxBytes));
      else if (!reservation.grow(piece.length)) fail(inflightExhausted());
      else pieces.push(piece);
    });
    stream.on('error', () => {
      fail(new BoundaryError('INVALID_ARGUMENT', `the body is not valid ${compression} data, or is cut off`));
    });
    stream.on('end', () => resolve(Buffer.concat(pieces, size)));
    stream.end(body);
  });
}

function tooLargeInflated(maxBytes: number): BoundaryError {
  return new BoundaryError(
    'TOO_LARGE',
    `the body is larger than ${maxBytes} bytes after decompression; send smaller batches`,
  );
}

export function tooLargeBody(maxBytes: number): BoundaryError {
  return new BoundaryError('TOO_LARGE', `the body is larger than ${maxBytes} bytes; send smaller batches`);
}

export function inflightExhausted(): BoundaryError {
  return new BoundaryError('RESOURCE_EXHAUSTED', 'too many request bytes in flight; send again later');
}

/** "deflate" means the zlib format (RFC 9110); some senders write it without the zlib header. */
function decompressor(body: Buffer, compression: Compression): Gunzip | Inflate | InflateRaw {
  const options = { chunkSize: CHUNK_BYTES };
  if (compression === 'gzip') return createGunzip(options);
  const [first = 0, second = 0] = body;
  const hasHeader = (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
  return hasHeader ? createInflate(options) : createInflateRaw(options);
}
