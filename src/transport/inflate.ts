import {
  createGunzip,
  createInflate,
  createInflateRaw,
  type Gunzip,
  type Inflate,
  type InflateRaw,
} from 'node:zlib';
import { BoundaryError } from '../base/boundary-error.ts';
import { inflightExhausted, type Reservation } from './inflight-bytes.ts';

/** Size of the output chunks, and so how far a decompression bomb can exceed its limit. */
const CHUNK_BYTES = 64 * 1024;
/** Largest expansion of deflate. */
const MAX_RATIO = 1032;

export type Compression = 'gzip' | 'deflate';

/**
 * Decompresses a request body to at most `maxBytes`. The largest possible result is reserved first: otherwise bodies
 * that do not fit together would all be inflated in vain, and leave garbage until the next collection.
 * @throws BoundaryError INVALID_ARGUMENT (damaged), TOO_LARGE, RESOURCE_EXHAUSTED (in-flight limit)
 */
export async function inflate(
  body: Buffer,
  compression: Compression,
  maxBytes: number,
  reservation: Reservation,
): Promise<Buffer> {
  const reserved = await reservation.reserve(Math.min(body.length * MAX_RATIO, maxBytes));
  if (reserved === undefined) throw inflightExhausted();
  const inflated = await inflateWithin(body, compression, maxBytes, (size, piece) => {
    return size <= reserved || reservation.grow(piece);
  });
  reservation.shrink(Math.max(0, reserved - inflated.length));
  return inflated;
}

/** @param fits whether the next chunk fits, given the total with it and its own size */
function inflateWithin(
  body: Buffer,
  compression: Compression,
  maxBytes: number,
  fits: (size: number, piece: number) => boolean,
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
      else if (!fits(size, piece.length)) fail(inflightExhausted());
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

/** "deflate" means the zlib format (RFC 9110); some senders write it without the zlib header. */
function decompressor(body: Buffer, compression: Compression): Gunzip | Inflate | InflateRaw {
  const options = { chunkSize: CHUNK_BYTES };
  if (compression === 'gzip') return createGunzip(options);
  const [first = 0, second = 0] = body;
  const hasHeader = (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
  return hasHeader ? createInflate(options) : createInflateRaw(options);
}
