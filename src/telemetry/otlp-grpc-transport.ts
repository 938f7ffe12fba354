import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { rejectedSpans } from './otlp-http-transport.ts';
import { SEND_TIMEOUT_MS, SILENT, type OtlpTransport, type Sent } from './sent.ts';

const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

/** OTLP specification, "Failures" of OTLP/gRPC. One that is full is retryable only where it says when. */
const RETRYABLE: ReadonlySet<number> = new Set([
  status.CANCELLED,
  status.DEADLINE_EXCEEDED,
  status.ABORTED,
  status.OUT_OF_RANGE,
  status.UNAVAILABLE,
  status.DATA_LOSS,
]);
/** How the library says that nobody is there, under the code by which a receiver says that it is busy. */
const NO_CONNECTION = 'No connection established';
const DETAILS = 'grpc-status-details-bin';

/** OTLP over gRPC. @param target `host:port` */
export function otlpGrpcTransport(
  target: string,
  isSecure: boolean,
  headers: Readonly<Record<string, string>>,
): OtlpTransport {
  const client = new Client(target, isSecure ? credentials.createSsl() : credentials.createInsecure());
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  const asIs = (bytes: Buffer): Buffer => bytes;
  return {
    close: () => client.close(),
    send: (body) =>
      new Promise<Sent>((resolve) => {
        const deadline = Date.now() + SEND_TIMEOUT_MS;
        client.makeUnaryRequest(
          EXPORT,
          asIs,
          asIs,
          Buffer.from(body),
          metadata,
          { deadline },
          (error, answer) =>
            resolve(
              error
                ? failed(error)
                : { outcome: 'taken', rejected: rejectedSpans(answer ?? new Uint8Array()) },
            ),
        );
      }),
  };
}

function failed({ code, metadata, details }: ServiceError): Sent {
  if (code === status.UNAVAILABLE && details.startsWith(NO_CONNECTION)) return SILENT;
  const reason = `it answers ${status[code]}`;
  const saysWhen =
    code === status.RESOURCE_EXHAUSTED &&
    metadata.get(DETAILS).some((value) => value.includes('google.rpc.RetryInfo'));
  return { outcome: RETRYABLE.has(code) || saysWhen ? 'later' : 'refused', reason };
}
