import type { SpanRecord } from '../../../src/model/records.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../../../src/receivers/config.ts';
import { decodeOtlp } from '../../../src/receivers/otlp/decode.ts';

/** The spans of a recording as the OTLP/JSON receiver reads them. */
export function decodeRecording(requests: readonly object[]): {
  readonly spans: readonly SpanRecord[];
  readonly refused: number;
} {
  const spans: SpanRecord[] = [];
  let refused = 0;
  for (const request of requests) {
    const body = Buffer.from(JSON.stringify(request));
    const decoded = decodeOtlp('traces', 'json', body, DEFAULT_RECEIVER_LIMITS, Date.now());
    refused += decoded.rejected;
    for (const record of decoded.records) if (record.kind === 'span') spans.push(record);
  }
  return { spans, refused };
}
