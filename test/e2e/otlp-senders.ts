import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { encode, withBytes } from '../../src/receivers/otlp/otlp.test-support.ts';
import type { RealService } from './real-service.ts';

export type OtlpSignal = 'traces' | 'logs';

/** How an answer to a sender looks, whatever it was sent by. */
export interface OtlpAnswer {
  /** HTTP status, or gRPC status code. */
  readonly status: number;
  /** The body as it came, or gRPC's details; for the search. */
  readonly text: string;
}

const SERVICES: Readonly<Record<OtlpSignal, string>> = {
  traces: 'opentelemetry.proto.collector.trace.v1.TraceService',
  logs: 'opentelemetry.proto.collector.logs.v1.LogsService',
};

/** A request in OTLP's JSON form as protobuf. */
export function protobufOf(signal: OtlpSignal, request: object): Buffer {
  return encode(signal, withBytes(request));
}

export async function postOtlp(
  service: RealService,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): Promise<OtlpAnswer> {
  const response = await fetch(service.otlpHttp + path, { method: 'POST', body, headers });
  return { status: response.status, text: await response.text() };
}

export function callOtlp(service: RealService, signal: OtlpSignal, body: Buffer): Promise<OtlpAnswer> {
  const client = new Client(service.otlpGrpc, credentials.createInsecure());
  const same = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    const path = `/${SERVICES[signal]}/Export`;
    client.makeUnaryRequest(path, same, same, body, (error: ServiceError | null, answer?: Buffer) => {
      client.close();
      resolve({ status: error?.code ?? 0, text: error?.details ?? answer?.toString('latin1') ?? '' });
    });
  });
}

/** The three ways in which an exporter may speak. */
export const OTLP_WAYS: Readonly<
  Record<string, (service: RealService, signal: OtlpSignal, request: object) => Promise<OtlpAnswer>>
> = {
  'OTLP/gRPC': (service, signal, request) => callOtlp(service, signal, protobufOf(signal, request)),
  'OTLP/HTTP protobuf': (service, signal, request) =>
    postOtlp(service, `/v1/${signal}`, new Uint8Array(protobufOf(signal, request)), {
      'content-type': 'application/x-protobuf',
    }),
  'OTLP/HTTP JSON': (service, signal, request) => postOtlp(service, `/v1/${signal}`, JSON.stringify(request)),
};
