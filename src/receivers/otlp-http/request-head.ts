import type { IncomingMessage } from 'node:http';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Compression } from '../inflate.ts';
import type { Encoding, Signal } from '../otlp/decode.ts';

const SIGNALS: ReadonlyMap<string, Signal> = new Map([
  ['/v1/traces', 'traces'],
  ['/v1/logs', 'logs'],
  ['/v1/metrics', 'metrics'],
]);

/** @throws BoundaryError NOT_FOUND, METHOD_NOT_ALLOWED */
export function signalOf(request: IncomingMessage): Signal {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const signal = SIGNALS.get(path.replace(/\/$/, ''));
  if (signal === undefined) {
    throw new BoundaryError(
      'NOT_FOUND',
      'OTLP/HTTP takes POST /v1/traces, /v1/logs and /v1/metrics; nothing else is here',
    );
  }
  if (request.method !== 'POST') throw new BoundaryError('METHOD_NOT_ALLOWED', 'only POST is allowed here');
  return signal;
}

/** The body's encoding by its content type; undefined for any other. */
export function encodingOf(request: IncomingMessage): Encoding | undefined {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/x-protobuf') return 'protobuf';
  return type === 'application/json' ? 'json' : undefined;
}

export function unsupportedType(): BoundaryError {
  return new BoundaryError(
    'UNSUPPORTED_MEDIA_TYPE',
    'the content type must be application/x-protobuf or application/json',
  );
}

/** @throws BoundaryError UNSUPPORTED_MEDIA_TYPE */
export function compressionOf(request: IncomingMessage): Compression | undefined {
  const name = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (name === 'gzip' || name === 'deflate') return name;
  if (name === 'identity' || name === '') return undefined;
  throw new BoundaryError('UNSUPPORTED_MEDIA_TYPE', 'the content encoding must be gzip, deflate or identity');
}
