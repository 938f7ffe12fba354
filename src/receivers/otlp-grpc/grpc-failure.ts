import { Metadata, status, type StatusObject } from '@grpc/grpc-js';
import { BoundaryError, GRPC_STATUS } from '../../base/boundary-error.ts';
import { retryAfterMs, statusProto } from '../otlp/answers.ts';

/**
 * A failure as grpc-js sends it. Retryable ones carry google.rpc.Status with RetryInfo in
 * `grpc-status-details-bin`, as the OTLP specification asks: RESOURCE_EXHAUSTED is retried only with it.
 * It is an Error besides, so that it can be thrown and handed to callbacks alike.
 */
export function grpcFailure(error: unknown): Error & StatusObject {
  const failure = BoundaryError.from(error);
  const metadata = new Metadata();
  if (retryAfterMs(failure) !== undefined) metadata.set('grpc-status-details-bin', statusProto(failure));
  const code = statusOf(GRPC_STATUS[failure.code]);
  return Object.assign(new Error(failure.message), { code, details: failure.message, metadata });
}

/** grpc-js types its codes as an enum; the numbers are the same. */
function statusOf(code: number): status {
  const name = status[code];
  return name === undefined ? status.UNKNOWN : status[name as keyof typeof status];
}
