import {
  Server,
  type ServerInterceptor,
  type ServerUnaryCall,
  type ServiceDefinition,
  type handleUnaryCall,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { callerOf, credentialMetadata, grpcSenders } from '../../access/grpc-guard.ts';
import type { Principal } from '../../access/principal.ts';
import type { WayIn } from '../../access/ways-in.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import { Connections, type Connection } from '../../transport/connections.ts';
import { detectProtocol } from '../../transport/detect-protocol.ts';
import { GRPC_CONNECTION_OPTIONS, GrpcConnections } from '../../transport/grpc-connections.ts';
import { rawAnswer } from '../../transport/security-headers.ts';
import { Seldom } from '../../transport/seldom.ts';
import { refuseTls } from '../../transport/tls/refusals.ts';
import { TcpListener, type ListenAddress } from '../../transport/tcp-listener.ts';
import { limitGrpcUploads } from '../../transport/limit-grpc-uploads.ts';
import { ActiveWork } from '../active-work.ts';
import { MAX_CONCURRENT_STREAMS, STOP_GRACE_MS } from '../config.ts';
import { exportResponseProto } from '../otlp/answers.ts';
import type { Signal } from '../otlp/decode.ts';
import { ingestOtlp, type ExportResult, type OtlpRequest } from '../otlp/ingest.ts';
import type { OtlpServerOptions, ServicePorts } from '../otlp-server-options.ts';
import { callGuard } from './call-guard.ts';
import { grpcFailure } from './grpc-failure.ts';

const SERVICES: readonly (readonly [signal: Signal, service: string])[] = [
  ['traces', 'opentelemetry.proto.collector.trace.v1.TraceService'],
  ['logs', 'opentelemetry.proto.collector.logs.v1.LogsService'],
  ['metrics', 'opentelemetry.proto.collector.metrics.v1.MetricsService'],
];

/** OTLP/gRPC: the three collector services' `Export`, on a port of their own. */
export class OtlpGrpcReceiver {
  private readonly options: OtlpServerOptions;
  private readonly work = new ActiveWork();
  private readonly server: Server;
  /** What each call goes through, in this order. */
  readonly interceptors: readonly ServerInterceptor[];
  private readonly grpc: GrpcConnections;
  private readonly listener: TcpListener;
  private readonly seldom: Seldom;

  constructor(options: OtlpServerOptions) {
    this.options = options;
    this.interceptors = [
      limitGrpcUploads({
        ...options,
        ...options.limits,
        senderOf: grpcSenders(options.perKey),
        statusOf: grpcFailure,
      }),
      callGuard(options, this.work),
    ];
    this.server = new Server({
      ...GRPC_CONNECTION_OPTIONS,
      interceptors: [...this.interceptors],
      'grpc.max_receive_message_length': options.limits.maxBodyBytes,
      'grpc.max_concurrent_streams': MAX_CONCURRENT_STREAMS,
    });
    this.addTo(this.server);
    this.grpc = new GrpcConnections(this.server);
    this.seldom = new Seldom(options.clock, options.logger);
    const accept = (connection: Connection): void => this.accept(connection);
    this.listener = new TcpListener({ ...options, accept, connections: new Connections(options) });
  }

  /** The largest message that is taken, in bytes. */
  get maxMessageBytes(): number {
    return this.options.limits.maxBodyBytes;
  }

  /** Adds the services to a server, also of another port; their calls have to go through `interceptors` there. */
  addTo(server: Server): void {
    for (const [signal, service] of SERVICES)
      server.addService(serviceDefinition(service), { Export: this.exportHandler(signal) });
  }

  /** Every way in here; HTTP has paths for the same signals. */
  get waysIn(): readonly WayIn[] {
    return SERVICES.flatMap(([signal, service]) => [
      { over: 'OTLP' as const, name: `${service}/Export`, needs: 'send' as const },
      { over: 'OTLP' as const, name: `POST /v1/${signal}`, needs: 'send' as const },
    ]);
  }

  /** Does a call that came in at another port belong here? @param path `/service/method` */
  takes(path: string): boolean {
    return SERVICES.some(([, service]) => path === `/${service}/Export`);
  }

  /** Resolves when the port is open. @throws Error with code EADDRINUSE, EACCES, EADDRNOTAVAIL */
  start(): Promise<ListenAddress> {
    return this.listener.start();
  }

  /** Refuses new calls with UNAVAILABLE; resolves when the running ones are answered. */
  drain(): Promise<void> {
    return this.work.drain();
  }

  /** Drains, then closes every connection. */
  async stop(): Promise<void> {
    await this.drain();
    this.grpc.drain(STOP_GRACE_MS);
    await this.listener.closeWithin(STOP_GRACE_MS);
    this.server.forceShutdown();
    await this.listener.stop();
  }

  private accept(connection: Connection): void {
    const { socket } = connection;
    detectProtocol(socket, undefined, (protocol) => {
      if (protocol === undefined) socket.destroy();
      else if (protocol === 'http2') this.grpc.accept(connection);
      else if (protocol === 'tls') refuseTls(socket, this.seldom);
      else socket.end(notGrpc(this.options.ports()));
    });
  }

  private exportHandler(signal: Signal): handleUnaryCall<Buffer, Buffer> {
    return (call, callback) => void this.answer(signal, call, callback);
  }

  /** Calls back exactly once; never throws. */
  private async answer(
    signal: Signal,
    { request: body, metadata }: ServerUnaryCall<Buffer, Buffer>,
    callback: sendUnaryData<Buffer>,
  ): Promise<void> {
    const receivedAt = this.options.clock.monotonic();
    const request = { signal, encoding: 'protobuf', body, source: 'otlp-grpc', receivedAt } as const;
    try {
      const { perKey, passOn } = this.options;
      const sender = callerOf(metadata);
      const take = (): Promise<ExportResult> =>
        passOn ? passOn(request, sender, credentialMetadata(metadata)) : this.ingest(request, sender);
      const result = await this.work.run(() => perKey.inTurn(sender, take));
      callback(null, exportResponseProto(result));
    } catch (error) {
      this.logUnexpected(error);
      callback(grpcFailure(error));
    }
  }

  private ingest(request: OtlpRequest, sender: Principal): Promise<ExportResult> {
    const { perKey, consumerOf } = this.options;
    const consumer = perKey.counted(sender, consumerOf(sender));
    return ingestOtlp({ ...this.options, consumer }, request);
  }

  private logUnexpected(error: unknown): void {
    if (BoundaryError.from(error).code !== 'INTERNAL') return;
    const name = error instanceof Error ? error.name : typeof error;
    this.options.logger.error({ error: name }, 'an OTLP/gRPC request failed');
  }
}

/** For who speaks HTTP/1.1. */
function notGrpc({ otlpHttp, readers }: ServicePorts): string {
  const where = `this port takes OTLP/gRPC; OTLP/HTTP is at port ${otlpHttp}, and at port ${readers} with all that is read`;
  return rawAnswer('400 Bad Request', 'text/plain', where);
}

/** Passes messages through as bytes; they are decoded in `otlp`. */
function serviceDefinition(service: string): ServiceDefinition {
  const identity = (bytes: Buffer): Buffer => bytes;
  return {
    Export: {
      path: `/${service}/Export`,
      requestStream: false,
      responseStream: false,
      requestSerialize: identity,
      requestDeserialize: identity,
      responseSerialize: identity,
      responseDeserialize: identity,
    },
  };
}
