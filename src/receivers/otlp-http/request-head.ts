import type { IncomingMessage } from 'node:http';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Encoding, Signal } from '../otlp/decode.ts';
import type { ServicePorts } from '../otlp-server-options.ts';

const SIGNALS: ReadonlyMap<string, Signal> = new Map([
  ['/v1/traces', 'traces'],
  ['/v1/logs', 'logs'],
  ['/v1/metrics', 'metrics'],
]);

/** Is it one of the paths of OTLP? */
export function isOtlpPath(request: IncomingMessage): boolean {
  return SIGNALS.has(pathOf(request));
}

function pathOf(request: IncomingMessage): string {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  return path.replace(/\/$/, '');
}

/** @throws BoundaryError NOT_FOUND, METHOD_NOT_ALLOWED */
export function signalOf(request: IncomingMessage, { readers }: ServicePorts): Signal {
  const signal = SIGNALS.get(pathOf(request));
  if (signal === undefined) {
    throw new BoundaryError(
      'NOT_FOUND',
      'this port takes OTLP by POST /v1/traces, /v1/logs and /v1/metrics; ' +
        `the web page, /api, /explain and /metrics are at port ${readers}`,
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
