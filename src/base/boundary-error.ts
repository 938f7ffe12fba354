import { FULL_CODES } from './full-disk.ts';

/**
 * The one error that crosses a boundary (gRPC, HTTP, WebSocket). The codes are a closed set; the tables
 * below are the only place where they are turned into a protocol's own numbers.
 */
export const BOUNDARY_CODES = [
  'INVALID_ARGUMENT',
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'UNSUPPORTED_MEDIA_TYPE',
  'TOO_LARGE',
  'FAILED_PRECONDITION',
  'RESOURCE_EXHAUSTED',
  'DEADLINE_EXCEEDED',
  'UNAVAILABLE',
  'INTERNAL',
] as const;
export type BoundaryCode = (typeof BOUNDARY_CODES)[number];

/** As often as the store tries whether there is room again. */
const DISK_RETRY_MS = 2000;

export interface BoundaryErrorOptions {
  /** How long a client should wait before it sends the same again; only with retryable codes. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

export class BoundaryError extends Error {
  override readonly name = 'BoundaryError';
  readonly code: BoundaryCode;
  readonly retryAfterMs: number | undefined;

  /** @param message says what was wrong and what to do; it is shown to the client, so it never holds input text */
  constructor(code: BoundaryCode, message: string, options: BoundaryErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }

  /** Anything thrown, as a boundary error. An unknown error's own text is kept out of the message. */
  static from(error: unknown): BoundaryError {
    if (error instanceof BoundaryError) return error;
    if (error instanceof Error && 'code' in error && FULL_CODES.has(error.code))
      return new BoundaryError('UNAVAILABLE', 'the disk is full: make room, and ask again', {
        retryAfterMs: DISK_RETRY_MS,
        cause: error,
      });
    return new BoundaryError('INTERNAL', 'internal error; see the log of the service', { cause: error });
  }
}

/** What was given is wrong. @param message says what, and what to do */
export function invalid(message: string): BoundaryError {
  return new BoundaryError('INVALID_ARGUMENT', message);
}

/** HTTP status (RFC 9110; OTLP/HTTP: 429 and 503 are retryable). */
export const HTTP_STATUS: Readonly<Record<BoundaryCode, number>> = {
  INVALID_ARGUMENT: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  UNSUPPORTED_MEDIA_TYPE: 415,
  TOO_LARGE: 413,
  FAILED_PRECONDITION: 409,
  RESOURCE_EXHAUSTED: 429,
  DEADLINE_EXCEEDED: 408,
  UNAVAILABLE: 503,
  INTERNAL: 500,
};

/** google.rpc.Code numbers (also gRPC status codes). */
export const GRPC_STATUS: Readonly<Record<BoundaryCode, number>> = {
  INVALID_ARGUMENT: 3,
  UNAUTHENTICATED: 16,
  PERMISSION_DENIED: 7,
  NOT_FOUND: 5,
  METHOD_NOT_ALLOWED: 12,
  UNSUPPORTED_MEDIA_TYPE: 3,
  TOO_LARGE: 8,
  FAILED_PRECONDITION: 9,
  RESOURCE_EXHAUSTED: 8,
  DEADLINE_EXCEEDED: 4,
  UNAVAILABLE: 14,
  INTERNAL: 13,
};
