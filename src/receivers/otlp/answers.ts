import { GRPC_STATUS, type BoundaryError } from '../../base/boundary-error.ts';
import { messageField, numberField, stringField } from '../../base/protobuf.ts';
import { DEFAULT_RETRY_AFTER_MS } from '../config.ts';
import type { Signal } from './decode.ts';
import type { ExportResult } from './ingest.ts';

const RETRY_INFO_TYPE = 'type.googleapis.com/google.rpc.RetryInfo';

const REJECTED_FIELD = {
  traces: 'rejectedSpans',
  logs: 'rejectedLogRecords',
  metrics: 'rejectedDataPoints',
} as const;

/**
 * Export…ServiceResponse: partial_success 1 { rejected 1, error_message 2 }, the same numbers for all signals;
 * empty when everything was taken.
 */
export function exportResponseProto(result: ExportResult): Buffer {
  if (result.rejected === 0 && result.message === '') return Buffer.alloc(0);
  const parts: Buffer[] = [];
  if (result.rejected > 0) parts.push(...numberField(1, result.rejected));
  if (result.message !== '') parts.push(...stringField(2, result.message));
  return Buffer.concat(messageField(1, parts));
}

export function exportResponseJson(signal: Signal, result: ExportResult): Buffer {
  if (result.rejected === 0 && result.message === '') return Buffer.from('{}');
  const partialSuccess: Record<string, string> = {};
  // int64 is a string in protobuf's JSON mapping.
  if (result.rejected > 0) partialSuccess[REJECTED_FIELD[signal]] = String(result.rejected);
  if (result.message !== '') partialSuccess['errorMessage'] = result.message;
  return Buffer.from(JSON.stringify({ partialSuccess }));
}

/** google.rpc.Status: code 1, message 2, details 3 (Any: type_url 1, value 2). */
export function statusProto(error: BoundaryError): Buffer {
  const parts = [...numberField(1, GRPC_STATUS[error.code]), ...stringField(2, error.message)];
  const retryMs = retryAfterMs(error);
  if (retryMs !== undefined) parts.push(...messageField(3, retryInfo(retryMs)));
  return Buffer.concat(parts);
}

export function statusJson(error: BoundaryError): Buffer {
  const retryMs = retryAfterMs(error);
  const details =
    retryMs === undefined
      ? {}
      : { details: [{ '@type': RETRY_INFO_TYPE, retryDelay: `${retryMs / 1000}s` }] };
  return Buffer.from(JSON.stringify({ code: GRPC_STATUS[error.code], message: error.message, ...details }));
}

/** How long to wait before sending the same again; undefined when that would not help. */
export function retryAfterMs(error: BoundaryError): number | undefined {
  if (error.code !== 'RESOURCE_EXHAUSTED' && error.code !== 'UNAVAILABLE') return undefined;
  return error.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS;
}

/** google.rpc.RetryInfo: retry_delay 1 (Duration: seconds 1, nanos 2), packed into an Any. */
function retryInfo(ms: number): Buffer[] {
  const duration = [
    ...numberField(1, Math.floor(ms / 1000)),
    ...numberField(2, Math.round((ms % 1000) * 1_000_000)),
  ];
  return [...stringField(1, RETRY_INFO_TYPE), ...messageField(2, messageField(1, duration))];
}
