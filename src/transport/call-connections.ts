import type { ServerHttp2Stream } from 'node:http2';
import type { Metadata } from '@grpc/grpc-js';

/** By the metadata of a call, which all its interceptors and its handler are given. */
const connections = new WeakMap<Metadata, object>();

/** @param stream that the call came on */
export function rememberForCall(metadata: Metadata, stream: ServerHttp2Stream | undefined): void {
  const socket = stream?.session?.socket;
  if (socket !== undefined) connections.set(metadata, socket);
}

/** What a call of gRPC came on: a socket, or what stands for it. */
export function connectionOfCall(metadata: Metadata): object | undefined {
  return connections.get(metadata);
}
