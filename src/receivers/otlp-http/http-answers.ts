import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { HTTP_STATUS, type BoundaryError } from '../../base/boundary-error.ts';
import {
  exportResponseJson,
  exportResponseProto,
  retryAfterMs,
  statusJson,
  statusProto,
} from '../otlp/answers.ts';
import type { Encoding, Signal } from '../otlp/decode.ts';
import type { ExportResult } from '../otlp/ingest.ts';

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

/** What is no HTTP/1.1 (a gRPC client, TLS), or came too slowly or with too long headers. */
export function answerBadConnection(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, text] = badConnection(error.code);
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  );
}

function badConnection(code: string | undefined): readonly [status: string, text: string] {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return ['408 Request Timeout', 'the request came too slowly'];
  if (code === 'HPE_HEADER_OVERFLOW')
    return ['431 Request Header Fields Too Large', 'the headers are too long'];
  return [
    '400 Bad Request',
    'this port takes OTLP over plain HTTP/1.1; OTLP/gRPC has a port of its own (4317)',
  ];
}
