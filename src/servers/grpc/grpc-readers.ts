import type { Duplex } from 'node:stream';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { ConnectionInjector, ServiceDefinition } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation } from 'grpc-health-check';
import { assert } from '../../base/assert.ts';
import { systemClock } from '../../base/clock.ts';
import { Pace } from '../../base/pace.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Authenticator } from '../access/authenticator.ts';
import { authInterceptor } from './auth-interceptor.ts';
import { explainImplementation } from './explain-service.ts';
import type { OpenStreams } from './explain-service.ts';
import { SERVICE_NAME, describedPackages, explainService } from './load-proto.ts';

/** A request is a filter; thousands of ids still fit. */
const MAX_REQUEST_BYTES = 1024 * 1024;
const MAX_SUBSCRIPTIONS = 1000;
/** The same as a WebSocket's. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
const MAX_STREAMS_PER_CONNECTION = 200;
/** A lost network leaves no other trace. */
const KEEPALIVE_MS = 30_000;
const KEEPALIVE_TIMEOUT_MS = 20_000;
/** Between the end of the streams and GOAWAY's hard end. */
const DRAIN_GRACE_MS = 1_000;

export interface GrpcReadersOptions {
  readonly reader: ReaderApi;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  readonly maxSubscriptions?: number;
  readonly maxBufferedBytes?: number;
  /** How large messages are cut into turns. One of its own if absent. */
  readonly pace?: Pace;
}

/** The gRPC face of the service: ExplainService, reflection and health, on connections that it is given. */
export class GrpcReaders {
  private readonly server: Server;
  private readonly injector: ConnectionInjector;
  private readonly health = new HealthImplementation({ '': 'SERVING', [SERVICE_NAME]: 'SERVING' });
  private readonly streams: OpenStreams = new Map();
  private closed = false;

  constructor(options: GrpcReadersOptions) {
    this.server = new Server({
      'grpc.max_receive_message_length': MAX_REQUEST_BYTES,
      'grpc.max_send_message_length': -1,
      'grpc.max_concurrent_streams': MAX_STREAMS_PER_CONNECTION,
      'grpc.keepalive_time_ms': KEEPALIVE_MS,
      'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
      interceptors: [authInterceptor(options.authenticator)],
    });
    const { reader, logger } = options;
    const limits = {
      maxSubscriptions: options.maxSubscriptions ?? MAX_SUBSCRIPTIONS,
      maxBufferedBytes: options.maxBufferedBytes ?? MAX_BUFFERED_BYTES,
    };
    const pace = options.pace ?? new Pace(systemClock);
    const implementation = explainImplementation({ reader, logger, pace, ...limits }, this.streams);
    this.server.addService(withEncodedGraphs(explainService), implementation);
    this.health.addToServer(this.server);
    new ReflectionService(describedPackages()).addToServer(this.server);
    // The sockets come from the one-port router, which has ended TLS where there is any.
    this.injector = this.server.createConnectionInjector(ServerCredentials.createInsecure());
  }

  inject(socket: Duplex): void {
    this.injector.injectConnection(socket);
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
    this.injector.drain(DRAIN_GRACE_MS);
  }

  /** Destroys every connection. */
  stop(): void {
    this.close('the service stops');
    this.injector.destroy();
    this.server.forceShutdown();
  }
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
