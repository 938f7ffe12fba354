import type { ServerResponse } from 'node:http';
import { BoundaryError, HTTP_STATUS } from '../../base/boundary-error.ts';
import {
  exportResponseJson,
  exportResponseProto,
  retryAfterMs,
  statusJson,
  statusProto,
} from '../otlp/answers.ts';
import { clientErrorAnswer } from '../../transport/client-error.ts';
import type { Seldom } from '../../transport/seldom.ts';
import { isTlsHandshake, refuseTls } from '../../transport/tls/refusals.ts';
import type { Encoding, Signal } from '../otlp/decode.ts';
import type { ExportResult } from '../otlp/ingest.ts';
import type { ServicePorts } from '../otlp-server-options.ts';

const CONTENT_TYPES: Readonly<Record<Encoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
};

/** 200 with the Export…ServiceResponse, in the encoding of the request. */
export function sendResult(
  response: ServerResponse,
  encoding: Encoding,
  signal: Signal,
  result: ExportResult,
): void {
  const json = encoding === 'json';
  send(response, 200, encoding, json ? exportResponseJson(signal, result) : exportResponseProto(result));
}

/** The error's status with a google.rpc.Status body, in the encoding of the request. */
export function sendFailure(response: ServerResponse, encoding: Encoding, error: BoundaryError): void {
  const retryMs = retryAfterMs(error);
  if (retryMs !== undefined)
    response.setHeader('Retry-After', String(Math.max(1, Math.ceil(retryMs / 1000))));
  if (error.code === 'METHOD_NOT_ALLOWED') response.setHeader('Allow', 'POST');
  if (error.code === 'UNAUTHENTICATED') response.setHeader('WWW-Authenticate', 'Bearer');
  send(
    response,
    HTTP_STATUS[error.code],
    encoding,
    encoding === 'json' ? statusJson(error) : statusProto(error),
  );
}

function send(response: ServerResponse, status: number, encoding: Encoding, body: Buffer): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { 'Content-Type': CONTENT_TYPES[encoding], 'Content-Length': body.length });
  response.end(body);
}

/** Answers bytes that are not HTTP/1.1 (a gRPC client, TLS), and headers that are too slow or too long. */
export function answerClientError(
  ports: () => ServicePorts,
  seldom: Seldom,
): ReturnType<typeof clientErrorAnswer> {
  return (error, socket) => {
    if (error.rawPacket !== undefined && isTlsHandshake(error.rawPacket)) return refuseTls(socket, seldom);
    const answer = clientErrorAnswer(
      `this port takes OTLP over HTTP/1.1; OTLP/gRPC is at port ${ports().otlpGrpc}`,
      (message) => statusJson(new BoundaryError('INVALID_ARGUMENT', message)).toString(),
    );
    answer(error, socket);
  };
}
