import { BOUNDARY_CODES, type BoundaryCode } from '../base/boundary-error.ts';

/** What a client can meet beside the answers of the service. */
const OWN_CODES = ['UNREACHABLE', 'TIMEOUT', 'BAD_ANSWER', 'CLOSED'] as const;

/**
 * Why something could not be done. The service's own codes, and:
 *
 * - `UNREACHABLE`: nothing answers at the address, or the connection was lost.
 * - `TIMEOUT`: there is a connection, and no answer came in time.
 * - `BAD_ANSWER`: what answers does not speak this protocol (HTML, broken JSON, frames without their fields).
 * - `CLOSED`: the client or the subscription was closed.
 */
export type ClientCode = BoundaryCode | (typeof OWN_CODES)[number];

/** The one error of this library. The message says what was wrong and what to do. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: ClientCode;

  constructor(code: ClientCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }

  static from(error: unknown): ClientError {
    if (error instanceof ClientError) return error;
    return new ClientError('INTERNAL', 'the client failed; see the cause', error);
  }
}

export function isServiceCode(code: unknown): code is BoundaryCode {
  return BOUNDARY_CODES.some((known) => known === code);
}

/** Failures of the way to the service, as opposed to refusals by it: the same may work on another connection. */
export function isTransient(error: ClientError): boolean {
  return TRANSIENT.has(error.code);
}

const TRANSIENT: ReadonlySet<ClientCode> = new Set([
  'UNREACHABLE',
  'TIMEOUT',
  'BAD_ANSWER',
  'UNAVAILABLE',
  'RESOURCE_EXHAUSTED',
  'INTERNAL',
]);
