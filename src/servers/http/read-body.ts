import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { BoundaryError } from '../../base/boundary-error.ts';

/** The largest body as it is sent: OTLP receivers take the same. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** The largest body after decompression; a gzip bomb makes 1,000 bytes of each. */
export const MAX_DECODED_BYTES = 64 * 1024 * 1024;
/** All bodies that are being received at one time, so that many large ones can't fill memory together. */
const MAX_PENDING_BYTES = 64 * 1024 * 1024;
/** What a client refused for fullness should wait: bodies are read within a second or so. */
const RETRY_AFTER_MS = 1000;

export interface BodyLimits {
  readonly maxBodyBytes?: number;
  readonly maxDecodedBytes?: number;
  readonly maxPendingBytes?: number;
}

export type BodyReader = (request: IncomingMessage) => Promise<Buffer>;

const gunzipAsync = promisify(gunzip);

/** @returns a reader of bodies that share one budget; it throws BoundaryError, see `HttpRequest.body` */
export function createBodyReader(limits: BodyLimits = {}): BodyReader {
  const maxBody = limits.maxBodyBytes ?? MAX_BODY_BYTES;
  const maxDecoded = limits.maxDecodedBytes ?? MAX_DECODED_BYTES;
  const maxPending = limits.maxPendingBytes ?? MAX_PENDING_BYTES;
  let pending = 0;

  async function receive(request: IncomingMessage): Promise<Buffer> {
    if (Number(request.headers['content-length'] ?? 0) > maxBody) throw tooLarge(maxBody);
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      // `destroyOnReturn` would take the connection away before the refusal could be sent.
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        size += chunk.length;
        pending += chunk.length;
        if (size > maxBody) throw tooLarge(maxBody);
        if (pending > maxPending) throw full();
      }
      return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
    } finally {
      pending -= size;
    }
  }

  return async (request) => {
    const encoding = contentEncoding(request);
    const body = await receive(request);
    return encoding === 'gzip' ? unzip(body, maxDecoded) : body;
  };
}

function contentEncoding(request: IncomingMessage): 'identity' | 'gzip' {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === 'gzip') return encoding;
  throw new BoundaryError('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding can be gzip or identity here');
}

async function unzip(body: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await gunzipAsync(body, { maxOutputLength: maxBytes });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new BoundaryError(
        'TOO_LARGE',
        `the body is over ${maxBytes} bytes after decompression; send less at a time`,
      );
    }
    throw new BoundaryError('INVALID_ARGUMENT', 'the body is not gzip, though Content-Encoding says so', {
      cause,
    });
  }
}

function tooLarge(maxBytes: number): BoundaryError {
  return new BoundaryError('TOO_LARGE', `the body is over ${maxBytes} bytes; send less at a time`);
}

function full(): BoundaryError {
  return new BoundaryError(
    'RESOURCE_EXHAUSTED',
    'too many bodies are being received; send it again shortly',
    {
      retryAfterMs: RETRY_AFTER_MS,
    },
  );
}
