import {
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type handleUnaryCall,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { BoundaryError } from '../../base/boundary-error.ts';
import { ActiveWork } from '../active-work.ts';
import { KEEPALIVE_TIMEOUT_MS, KEEPALIVE_TIME_MS, MAX_CONCURRENT_STREAMS, STOP_GRACE_MS } from '../config.ts';
import { exportResponseProto } from '../otlp/answers.ts';
import type { Signal } from '../otlp/decode.ts';
import { ingestOtlp } from '../otlp/ingest.ts';
import type { ListenAddress, OtlpServerOptions } from '../otlp-server-options.ts';
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

  constructor(options: OtlpServerOptions) {
    this.options = options;
    this.server = new Server({
      interceptors: [callGuard(options, this.work)],
      'grpc.max_receive_message_length': options.limits.maxBodyBytes,
      'grpc.max_concurrent_streams': MAX_CONCURRENT_STREAMS,
      'grpc.keepalive_time_ms': KEEPALIVE_TIME_MS,
      'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
    });
    for (const [signal, service] of SERVICES) {
      this.server.addService(serviceDefinition(service), { Export: this.exportHandler(signal) });
    }
  }

  /** @throws BoundaryError FAILED_PRECONDITION when the address can't be listened on */
  async start(): Promise<ListenAddress> {
    const { host, port } = this.options;
    const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const bound = await new Promise<number>((resolve, reject) => {
      this.server.bindAsync(address, ServerCredentials.createInsecure(), (error, boundPort) => {
        if (error === null) resolve(boundPort);
        else {
          const message = `can't listen on ${address} for OTLP/gRPC; is the port in use?`;
          reject(new BoundaryError('FAILED_PRECONDITION', message, { cause: error }));
        }
      });
    });
    return { host, port: bound };
  }

  /** Refuses new calls with UNAVAILABLE; resolves when those under way are answered. */
  drain(): Promise<void> {
    return this.work.drain();
  }

  /** Drains, then closes every connection. */
  async stop(): Promise<void> {
    await this.drain();
    await new Promise<void>((resolve) => {
      const grace = setTimeout(resolve, STOP_GRACE_MS);
      this.server.tryShutdown(() => {
        clearTimeout(grace);
        resolve();
      });
    });
    this.server.forceShutdown();
  }

  private exportHandler(signal: Signal): handleUnaryCall<Buffer, Buffer> {
    return (call, callback) => void this.answer(signal, call.request, callback);
  }

  /** Calls back exactly once; never throws. */
  private async answer(signal: Signal, body: Buffer, callback: sendUnaryData<Buffer>): Promise<void> {
    const receivedAt = this.options.clock.monotonic();
    const request = { signal, encoding: 'protobuf', body, source: 'otlp-grpc', receivedAt } as const;
    try {
      const result = await this.work.run(() => ingestOtlp(this.options, request));
      callback(null, exportResponseProto(result));
    } catch (error) {
      this.logUnexpected(error);
      callback(grpcFailure(error));
    }
  }

  private logUnexpected(error: unknown): void {
    if (BoundaryError.from(error).code !== 'INTERNAL') return;
    const name = error instanceof Error ? error.name : typeof error;
    this.options.logger.error({ error: name }, 'an OTLP/gRPC request failed');
  }
}

/** Messages stay bytes: decoding is ours. */
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
