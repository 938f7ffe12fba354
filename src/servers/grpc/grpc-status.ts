import type { status } from '@grpc/grpc-js';
import { BoundaryError, GRPC_STATUS, type BoundaryCode } from '../../base/boundary-error.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { errorName } from '../../telemetry/safe-error.ts';

/** The shared table, in the words of grpc-js. */
export const STATUS = GRPC_STATUS as unknown as Readonly<Record<BoundaryCode, status>>;

export interface GrpcFailure {
  readonly code: status;
  readonly details: string;
}

/** Anything thrown, as a gRPC status. An unknown error is said in the log by its class only. */
export function statusOf(thrown: unknown, logger: Logger): GrpcFailure {
  const error = BoundaryError.from(thrown);
  if (error.code === 'INTERNAL') logger.error({ err: errorName(thrown) }, 'gRPC call failed');
  return { code: STATUS[error.code], details: error.message };
}
