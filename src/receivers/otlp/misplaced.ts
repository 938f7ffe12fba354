import { BoundaryError } from '../../base/boundary-error.ts';

/**
 * Requests of all signals share their outer field numbers, so one sent to the wrong endpoint parses in part. It is
 * refused with that reason; otherwise the sender would only see rejected records.
 */
export function misplacedLogs(): BoundaryError {
  return new BoundaryError(
    'INVALID_ARGUMENT',
    'these look like log records sent to the traces endpoint; send logs to /v1/logs (HTTP) or LogsService (gRPC)',
  );
}

export function misplacedSpans(): BoundaryError {
  return new BoundaryError(
    'INVALID_ARGUMENT',
    'these look like spans sent to the logs endpoint; send spans to /v1/traces (HTTP) or TraceService (gRPC)',
  );
}

export function misplacedAmongMetrics(): BoundaryError {
  return new BoundaryError(
    'INVALID_ARGUMENT',
    'these look like spans or log records sent to the metrics endpoint; send spans to /v1/traces or TraceService, ' +
      'logs to /v1/logs or LogsService',
  );
}

const ENDPOINTS: readonly (readonly [key: string, snake: string, path: string])[] = [
  ['resourceSpans', 'resource_spans', '/v1/traces'],
  ['resourceLogs', 'resource_logs', '/v1/logs'],
  ['resourceMetrics', 'resource_metrics', '/v1/metrics'],
];

/** JSON says by its top key what it is. */
export function checkTopKey(document: object, wanted: string): void {
  if (ENDPOINTS.some(([key, snake]) => key === wanted && (key in document || snake in document))) return;
  for (const [key, snake, path] of ENDPOINTS) {
    if (key in document || snake in document) {
      throw new BoundaryError(
        'INVALID_ARGUMENT',
        `the document has "${key}", which belongs to ${path}; "${wanted}" was expected here`,
      );
    }
  }
}
