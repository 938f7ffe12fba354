import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import { toHexId } from './ids.ts';

const PROTO = new URL('../../../proto/opentelemetry/otlp.proto', import.meta.url);
const exportRequest = protobuf
  .parse(readFileSync(PROTO, 'utf8'))
  .root.lookupType('otlp.ExportTraceServiceRequest');

const ID_BYTES: Readonly<Record<string, 8 | 16>> = { traceId: 16, spanId: 8, parentSpanId: 8 };

/** An OTLP/JSON request as protobuf, written by a library that the receiver does not use. */
export function toProtobuf(request: object): Uint8Array {
  const withBytes: unknown = JSON.parse(JSON.stringify(request), (key: string, value: unknown) => {
    const bytes = ID_BYTES[key];
    if (bytes === undefined || typeof value !== 'string' || value === '') return value;
    return Buffer.from(toHexId(value, bytes), 'hex').toString('base64');
  });
  return exportRequest.encode(exportRequest.fromObject(withBytes as object)).finish();
}
