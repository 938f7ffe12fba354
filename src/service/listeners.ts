import { BoundaryError } from '../base/boundary-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Pace } from '../base/pace.ts';
import type { ServiceConfig } from '../config/schema.ts';
import type { RecordConsumer } from '../model/pipeline.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../receivers/config.ts';
import { receiveCot, receiveEvents } from '../receivers/events/receive.ts';
import { InflightBytes } from '../receivers/inflight-bytes.ts';
import { OtlpGrpcReceiver } from '../receivers/otlp-grpc/otlp-grpc-receiver.ts';
import { OtlpHttpReceiver } from '../receivers/otlp-http/otlp-http-receiver.ts';
import type { ListenAddress } from '../receivers/otlp-server-options.ts';
import { createAuthenticator, type AuthOption } from '../servers/access/authenticator.ts';
import { createHostGuard } from '../servers/access/host-guard.ts';
import { GrpcReaders } from '../servers/grpc/grpc-readers.ts';
import { eraseRoute, type EraseHandler } from '../servers/http/erase-route.ts';
import { HttpApi } from '../servers/http/http-api.ts';
import { redactionRoute, type RedactionHandler } from '../servers/http/redaction-route.ts';
import { OnePortServer } from '../servers/one-port/one-port-server.ts';
import { WebSocketReaders } from '../servers/websocket/websocket-server.ts';
import type { ReaderApi } from '../subscriptions/reader-api.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { OwnTelemetry } from '../telemetry/own-telemetry.ts';

/** Where the service really listens. */
export interface Addresses {
  readonly otlpGrpc: ListenAddress;
  readonly otlpHttp: ListenAddress;
  readonly readers: ListenAddress;
}

export interface ListenersOptions {
  readonly config: ServiceConfig;
  readonly clock: Clock;
  /** How long work is cut into pieces. */
  readonly pace: Pace;
  readonly logger: Logger;
  readonly telemetry: OwnTelemetry;
  readonly consumer: RecordConsumer;
  readonly reader: ReaderApi;
  /** Answers who asks to look behind the markers of a node. */
  readonly reveal: RedactionHandler;
  /** Removes what administrators ask to have removed. */
  readonly erase: EraseHandler;
  /** What keeps the service from doing all it should, for `/readyz`. */
  readonly problems: () => readonly string[];
}

/** All ports: both OTLP receivers and the readers' port. */
export class Listeners {
  private readonly otlpGrpc: OtlpGrpcReceiver;
  private readonly otlpHttp: OtlpHttpReceiver;
  private readonly readers: OnePortServer;
  private readonly config: ServiceConfig;
  private state: 'starting' | 'open' | 'draining' = 'starting';

  constructor(options: ListenersOptions) {
    const { config, clock, pace, logger, telemetry, consumer } = options;
    this.config = config;
    const otlp = {
      host: config.host,
      limits: {
        ...DEFAULT_RECEIVER_LIMITS,
        maxBodyBytes: config.maxRequestBytes,
        maxDecompressedBytes: config.maxDecompressedBytes,
      },
      auth: typeof config.auth === 'object' ? { bearerToken: config.auth.token } : undefined,
      consumer,
      metrics: telemetry,
      logger,
      inflight: new InflightBytes(config.maxInflightBytes, () => telemetry.requestsRefused(1)),
      clock,
      pace,
    };
    this.otlpGrpc = new OtlpGrpcReceiver({ ...otlp, port: config.otlpGrpcPort });
    this.otlpHttp = new OtlpHttpReceiver({ ...otlp, port: config.otlpHttpPort });
    this.readers = this.createReaders(options);
  }

  /** @throws Error naming the port that cannot be had; those opened before are closed by `refuse` and `close` */
  async open(): Promise<Addresses> {
    const { otlpGrpcPort, otlpHttpPort, port } = this.config;
    const otlpGrpc = await opened('otlpGrpcPort', otlpGrpcPort, () => this.otlpGrpc.start());
    const otlpHttp = await opened('otlpHttpPort', otlpHttpPort, () => this.otlpHttp.start());
    const readers = await opened('port', port, () => this.readers.start());
    this.state = 'open';
    return { otlpGrpc, otlpHttp, readers };
  }

  /** The receivers refuse what comes, and finish what they have. */
  async refuse(): Promise<void> {
    this.state = 'draining';
    await Promise.all([this.otlpGrpc.drain(), this.otlpHttp.drain()]);
  }

  async close(reason: string): Promise<void> {
    await this.readers.drain(reason);
    await Promise.all([this.otlpGrpc.stop(), this.otlpHttp.stop(), this.readers.stop()]);
  }

  private createReaders({
    config,
    clock,
    pace,
    logger,
    telemetry,
    consumer,
    reader,
    reveal,
    erase,
    problems,
  }: ListenersOptions): OnePortServer {
    const hostGuard = createHostGuard(config);
    const authenticator = createAuthenticator(authOf(config.auth));
    const shared = { reader, hostGuard, authenticator, logger, pace };
    const { maxConnections, maxSubscriptions } = config;
    return new OnePortServer({
      host: config.host,
      port: config.port,
      maxConnections,
      logger,
      webSocket: new WebSocketReaders({ ...shared, clock, maxConnections }),
      grpc: new GrpcReaders({ ...shared, maxSubscriptions }),
      http: new HttpApi({
        ...shared,
        routes: [redactionRoute(authenticator, reveal), eraseRoute(erase)],
        readiness: () => {
          const reasons = this.state === 'open' ? problems() : [`the service is ${this.state}`];
          return { ready: reasons.length === 0, reasons };
        },
        metrics: (request, response) => telemetry.metricsHandler(request, response),
        cot: (body, type) => receiveCot(body, type, consumer, clock.monotonic(), telemetry),
        events: (body, type) => receiveEvents(body, type, consumer, clock.monotonic(), telemetry),
      }),
    });
  }
}

function authOf(auth: ServiceConfig['auth']): AuthOption {
  if (typeof auth !== 'object') return 'none';
  return { token: auth.token, ...(auth.adminToken !== undefined && { adminToken: auth.adminToken }) };
}

async function opened(
  key: string,
  port: number,
  start: () => Promise<ListenAddress>,
): Promise<ListenAddress> {
  try {
    return await start();
  } catch (error) {
    const isInUse = codeOf(error) === 'EADDRINUSE';
    // gRPC does not tell why an address cannot be had; the receiver's message says what is most likely.
    const why = isInUse ? 'it is in use' : error instanceof BoundaryError ? error.message : codeOf(error);
    throw new Error(
      `port ${port} (${key}): ${why ?? 'it cannot be opened'}: stop what uses it, or choose another`,
      { cause: error },
    );
  }
}

/** The system's code of an error or of its cause. */
function codeOf(error: unknown): string | undefined {
  const reason = error instanceof BoundaryError ? error.cause : error;
  return reason instanceof Error ? (reason as NodeJS.ErrnoException).code : undefined;
}
