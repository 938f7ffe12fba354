import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { JsonObject } from '../base/json.ts';
import { WireReader } from '../base/wire-reader.ts';
import { firstLine } from '../model/one-line.ts';
import { SEND_TIMEOUT_MS, SILENT, type OtlpTransport, type Sent } from './sent.ts';

/** OTLP specification, "Retryable Response Codes". */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** An ExportTraceServiceResponse has some bytes, and a message for people. */
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_MESSAGE_CHARS = 300;
/** Field 2, with its length before it. */
const MESSAGE_OF_STATUS = 0x12;

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
        return SILENT;
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
  if (!RETRYABLE.has(response.status)) {
    const says = firstLine(messageIn(response, Buffer.from(answer)), MAX_MESSAGE_CHARS);
    return { outcome: 'refused', reason, ...(says !== '' && { says }) };
  }
  const afterMs = retryAfter(response.headers.get('retry-after'));
  return { outcome: 'later', reason, ...(afterMs !== undefined && { afterMs }) };
}

/** The message of a google.rpc.Status, in either encoding, or plain text; empty where it is none of these. */
function messageIn({ headers }: Response, answer: Buffer): string {
  const type = headers.get('content-type') ?? '';
  if (type.includes('text/plain')) return answer.toString('utf8');
  try {
    if (type.includes('json')) {
      const { message } = JSON.parse(answer.toString('utf8')) as JsonObject;
      return typeof message === 'string' ? message : '';
    }
    return type.includes('protobuf') ? messageOfStatus(answer) : '';
  } catch {
    return '';
  }
}

function messageOfStatus(answer: Buffer): string {
  const reader = new WireReader(answer);
  while (reader.pos < answer.length) {
    const tag = reader.tag(answer.length);
    if (tag === MESSAGE_OF_STATUS) return reader.text(reader.lengthEnd(answer.length));
    reader.skip(tag, answer.length);
  }
  return '';
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
