import { Metadata, Server } from '@grpc/grpc-js';
import type { ServerInterceptingCall, ServerInterceptor, ServiceDefinition } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation } from 'grpc-health-check';
import { grpcGuard, grpcSenders } from '../../access/grpc-guard.ts';
import type { Limits } from '../../access/limits.ts';
import type { Access } from '../../access/principal.ts';
import { assert } from '../../base/assert.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { Pace, type Turns } from '../../base/pace.ts';
import { Slots } from '../../base/slots.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { AnswerBytes } from '../../transport/answer-bytes.ts';
import type { Connection } from '../../transport/connections.ts';
import { GRPC_CONNECTION_OPTIONS, GrpcConnections } from '../../transport/grpc-connections.ts';
import type { InflightBytes } from '../../transport/inflight-bytes.ts';
import { limitGrpcUploads } from '../../transport/limit-grpc-uploads.ts';
import type { SpaceOf } from '../space.ts';
import { statusOf } from './grpc-status.ts';
import { explainImplementation, type OpenStreams } from './explain-service.ts';
import { SERVICE_NAME, describedPackages, explainService } from './load-proto.ts';
import { needOf } from './method-needs.ts';

/** A request is a filter; thousands of ids still fit. */
const MAX_REQUEST_BYTES = 1024 * 1024;
const GET_GRAPH = `/${SERVICE_NAME}/GetGraph`;
/** The same as a WebSocket's. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
const MAX_STREAMS_PER_CONNECTION = 200;
/**
 * Answers to `GetGraph`. One of 100,000 nodes is 30 MB, which are held until their reader has taken them (`AnswerWatch`);
 * those that wait are requests of some hundred bytes. Half for one connection, which a proxy may share among readers.
 */
const GRAPHS = { most: 8, share: 4, mostWaiting: 1_000 };
/** What they hold together: eight of those. A larger one is held by itself. */
const MAX_GRAPH_BYTES = 256 * 1024 * 1024;
/** Between the end of the streams and GOAWAY's hard end. */
const DRAIN_GRACE_MS = 1_000;

/** Services of others on the same connections: who may call them, and what of, is their own matter. */
export interface GuestServices {
  addTo(server: Server): void;
  /** @param path `/service/method` */
  takes(path: string): boolean;
  readonly interceptors: readonly ServerInterceptor[];
  readonly maxMessageBytes: number;
}

export interface GrpcReadersOptions {
  readonly access: Access;
  readonly spaceOf: SpaceOf;
  readonly perKey: Limits;
  readonly logger: Logger;
  /** Shared by all ways into the process. */
  readonly inflight: InflightBytes;
  readonly clock: Clock;
  readonly guests?: GuestServices | undefined;
  readonly maxBufferedBytes?: number;
  readonly maxGraphBytes?: number;
  /** How large messages are cut into turns. One of its own if absent. */
  readonly pace?: Turns;
}

/** The gRPC face of the service: ExplainService, reflection and health, on connections that it is given. */
export class GrpcReaders {
  private readonly server: Server;
  private readonly connections: GrpcConnections;
  private readonly health = new HealthImplementation({ '': 'SERVING', [SERVICE_NAME]: 'SERVING' });
  private readonly streams: OpenStreams = new Map();
  private closed = false;

  constructor(options: GrpcReadersOptions) {
    const graphs = new Slots(GRAPHS, 'too many graphs are asked for; try again later');
    const graphBytes = new AnswerBytes(options.maxGraphBytes ?? MAX_GRAPH_BYTES);
    this.server = new Server({
      ...GRPC_CONNECTION_OPTIONS,
      'grpc.max_receive_message_length': Math.max(MAX_REQUEST_BYTES, options.guests?.maxMessageBytes ?? 0),
      'grpc.max_send_message_length': -1,
      'grpc.max_concurrent_streams': MAX_STREAMS_PER_CONNECTION,
      interceptors: [
        eachItsOwn(options.guests, [
          limitGrpcUploads({
            maxDecompressedBytes: MAX_REQUEST_BYTES,
            maxMessageBytes: MAX_REQUEST_BYTES,
            inflight: options.inflight,
            clock: options.clock,
            senderOf: grpcSenders(options.perKey),
            isAwaited: (path) => path === GET_GRAPH && (graphs.isAwaited || graphBytes.isAwaited),
            statusOf: (error) =>
              Object.assign(new Error(error.message), statusOf(error, options.logger), {
                metadata: new Metadata(),
              }),
          }),
          grpcGuard({
            access: options.access,
            needs: needOf,
            statusOf: (error) => statusOf(error, options.logger),
          }),
        ]),
      ],
    });
    const { spaceOf, logger } = options;
    const maxBufferedBytes = options.maxBufferedBytes ?? MAX_BUFFERED_BYTES;
    const pace = options.pace ?? new Pace(systemClock);
    const implementation = explainImplementation(
      { spaceOf, logger, pace, graphs, graphBytes, maxBufferedBytes },
      this.streams,
    );
    this.server.addService(withEncodedGraphs(explainService), implementation);
    options.guests?.addTo(this.server);
    this.health.addToServer(this.server);
    new ReflectionService(describedPackages()).addToServer(this.server);
    this.connections = new GrpcConnections(this.server);
  }

  /** Takes over an HTTP/2 connection that has not been read from. */
  accept(connection: Connection): void {
    this.connections.accept(connection);
  }

  get subscriptionCount(): number {
    return this.streams.size;
  }

  /** Health says NOT_SERVING, streams end with UNAVAILABLE and the reason, connections get GOAWAY. */
  close(reason: string): void {
    if (this.closed) return;
    this.closed = true;
    for (const service of ['', SERVICE_NAME]) this.health.setStatus(service, 'NOT_SERVING');
    for (const stream of this.streams.values()) stream.close(reason);
    this.connections.drain(DRAIN_GRACE_MS);
  }

  /** Destroys every connection. */
  stop(): void {
    this.close('the service stops');
    this.connections.destroy();
    this.server.forceShutdown();
  }
}

/** Calls of guests go through the interceptors of these, others through `own`. */
function eachItsOwn(guests: GuestServices | undefined, own: readonly ServerInterceptor[]): ServerInterceptor {
  return (method, call) => {
    const through = guests?.takes(method.path) === true ? guests.interceptors : own;
    return through.reduce((inner, interceptor) => interceptor(method, inner), call) as ServerInterceptingCall;
  };
}

/** Graphs and updates come as bytes: those for all subscribers are encoded once, large ones step by step. */
function withEncodedGraphs(service: ServiceDefinition): ServiceDefinition {
  const { Subscribe, GetGraph } = service;
  assert(Subscribe !== undefined && GetGraph !== undefined, 'explain.proto has Subscribe and GetGraph');
  const responseSerialize = (bytes: Buffer): Buffer => bytes;
  return {
    ...service,
    Subscribe: { ...Subscribe, responseSerialize },
    GetGraph: { ...GetGraph, responseSerialize },
  };
}
