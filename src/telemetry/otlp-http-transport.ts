import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { SEND_TIMEOUT_MS, type OtlpTransport, type Sent } from './sent.ts';

/** OTLP specification, "Retryable Response Codes". */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** An ExportTraceServiceResponse has some bytes, and a message for people. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** OTLP over HTTP, as protobuf. @param url with its path */
export function otlpHttpTransport(url: URL, headers: Readonly<Record<string, string>>): OtlpTransport {
  return {
    close() {},
    async send(body) {
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/x-protobuf' },
          // In a copy: fetch takes no view of memory that others may share.
          body: new Uint8Array(body),
          // Whoever is redirected to was not named.
          redirect: 'manual',
          signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
        });
        return sentOf(response, await beginningOf(response));
      } catch {
        return { outcome: 'later', reason: 'nothing answers there' };
      }
    },
  };
}

/** Of an answer that is larger than any: the status is what counts, and nobody reads the rest. */
async function beginningOf({ body }: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) return new Uint8Array();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function sentOf(response: Response, answer: Uint8Array): Sent {
  if (response.ok) return { outcome: 'taken', rejected: rejectedIn(response, answer) };
  const reason = `it answers ${response.status}`;
  if (!RETRYABLE.has(response.status)) return { outcome: 'refused', reason };
  const afterMs = retryAfter(response.headers.get('retry-after'));
  return { outcome: 'later', reason, ...(afterMs !== undefined && { afterMs }) };
}

/** Spans that were refused though the request was taken. */
function rejectedIn(response: Response, answer: Uint8Array): number {
  if (response.headers.get('content-type')?.includes('protobuf') !== true) return 0;
  return rejectedSpans(answer);
}

/** Of an ExportTraceServiceResponse in protobuf; 0 of what is none. */
export function rejectedSpans(answer: Uint8Array): number {
  try {
    const { partialSuccess } = ProtobufTraceSerializer.deserializeResponse(answer);
    return partialSuccess?.rejectedSpans ?? 0;
  } catch {
    return 0;
  }
}

/** Seconds, or a date; undefined for anything else. */
function retryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d{1,6}$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
