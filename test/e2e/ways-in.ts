import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { WebSocket } from 'ws';
import type { RealService } from './real-service.ts';

/** Headers, or metadata of the same names. */
export type Said = Readonly<Record<string, string>>;

const asIs = (bytes: Buffer): Buffer => bytes;

/** The status of the answer, and its body. */
export async function askHttp(
  service: RealService,
  method: string,
  path: string,
  said: Said,
  body?: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(service.readers + path, {
    method,
    headers: { 'content-type': 'application/json', ...said },
    ...(method === 'GET' ? {} : { body: body ?? '{}' }),
  });
  return { status: response.status, text: await response.text() };
}

/** The status of a call: gRPC's number. @param address `host:port` @param message empty if absent */
export function callGrpc(
  address: string,
  path: string,
  said: Said,
  message = Buffer.alloc(0),
): Promise<number> {
  const client = new Client(address, credentials.createInsecure());
  return new Promise((resolve) => {
    const done = (error: ServiceError | null): void => {
      client.close();
      resolve(error?.code ?? 0);
    };
    client.makeUnaryRequest(path, asIs, asIs, message, metadataOf(said), done);
  });
}

/** A stream of a call with an empty message; `first` when something came, `end` with its status. */
export function streamGrpc(
  address: string,
  path: string,
  said: Said,
): {
  readonly first: Promise<void>;
  readonly end: Promise<{ readonly code: number; readonly details: string }>;
} {
  const client = new Client(address, credentials.createInsecure());
  const call = client.makeServerStreamRequest(path, asIs, asIs, Buffer.alloc(0), metadataOf(said));
  const first = new Promise<void>((resolve) => call.once('data', () => resolve()));
  const end = new Promise<{ code: number; details: string }>((resolve) => {
    call.on('error', () => undefined);
    call.on('status', ({ code, details }) => {
      client.close();
      resolve({ code, details });
    });
  });
  return { first, end };
}

/** An open WebSocket, or the HTTP status with which it was refused. */
export function openWebSocket(
  service: RealService,
  said: Said,
  protocols: readonly string[] = [],
  path = '/explain',
): Promise<WebSocket | number> {
  const url = `${service.readers.replace('http', 'ws')}${path}`;
  const socket = new WebSocket(url, [...protocols], { headers: said });
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
    socket.once('unexpected-response', (request, response) => {
      request.destroy();
      resolve(response.statusCode ?? 0);
    });
  });
}

/** The first answer to a frame. */
export function askWebSocket(socket: WebSocket, frame: object): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    socket.once('message', (data: Buffer) =>
      resolve(JSON.parse(data.toString('utf8')) as Record<string, unknown>),
    );
    socket.send(JSON.stringify(frame));
  });
}

function metadataOf(said: Said): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(said)) metadata.set(name, value);
  return metadata;
}
