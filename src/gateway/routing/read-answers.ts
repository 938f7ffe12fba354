import { isObject, type JsonObject } from '../../base/json.ts';
import type { Encoding } from '../../receivers/otlp/decode.ts';
import type { ExportResult } from '../../receivers/otlp/ingest.ts';
import { WireReader } from '../../base/wire-reader.ts';

/** What a cell says that is not understood is taken for nothing said. */
const NOTHING: ExportResult = { rejected: 0, message: '' };

/** An Export…ServiceResponse: partial_success 1 { rejected 1, error_message 2 }. */
export function readExportResult(encoding: Encoding, body: Buffer): ExportResult {
  try {
    return encoding === 'json' ? resultInJson(body) : resultInProto(body);
  } catch {
    return NOTHING;
  }
}

/** The message of a google.rpc.Status (code 1, message 2), or of another error in JSON. */
export function readStatusMessage(encoding: Encoding, body: Buffer): string {
  try {
    if (encoding === 'protobuf') return resultIn(new WireReader(body), body.length).message;
    const { message, error } = objectOf(body);
    return textOf((isObject(error) ? error['message'] : error) ?? message);
  } catch {
    return '';
  }
}

function resultInProto(body: Buffer): ExportResult {
  const reader = new WireReader(body);
  let result = NOTHING;
  while (reader.pos < body.length) {
    const tag = reader.tag(body.length);
    if (tag === 10) result = resultIn(reader, reader.lengthEnd(body.length));
    else reader.skip(tag, body.length);
  }
  return result;
}

/** A number in field 1, a text in field 2. */
function resultIn(reader: WireReader, end: number): ExportResult {
  let rejected = 0;
  let message = '';
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag === 8) rejected = reader.varint32(end);
    else if (tag === 18) message = reader.text(reader.lengthEnd(end));
    else reader.skip(tag, end);
  }
  return { rejected, message };
}

function resultInJson(body: Buffer): ExportResult {
  const partial = objectOf(body)['partialSuccess'];
  if (!isObject(partial)) return NOTHING;
  const rejected =
    partial['rejectedSpans'] ?? partial['rejectedLogRecords'] ?? partial['rejectedDataPoints'] ?? 0;
  return { rejected: Number(rejected), message: textOf(partial['errorMessage']) };
}

function objectOf(body: Buffer): JsonObject {
  const value: unknown = JSON.parse(body.toString());
  return isObject(value) ? value : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
