import type { ServerHttp2Stream } from 'node:http2';
import type { Metadata } from '@grpc/grpc-js';
import { certificateOf, type ClientCertificate } from './client-certificate.ts';

/** By the metadata of a call, which all its interceptors and its handler are given. */
const certificates = new WeakMap<Metadata, ClientCertificate>();

/** @param stream that the call came on */
export function rememberForCall(metadata: Metadata, stream: ServerHttp2Stream | undefined): void {
  const certificate = certificateOf(stream?.session?.socket);
  if (certificate !== undefined) certificates.set(metadata, certificate);
}

/** The certificate that the client of a call of gRPC has proved to be its own. */
export function certificateOfCall(metadata: Metadata): ClientCertificate | undefined {
  return certificates.get(metadata);
}
