import type { Limits } from '../access/limits.ts';
import type { Access, Principal } from '../access/principal.ts';
import type { Clock } from '../base/clock.ts';
import type { Pace } from '../base/pace.ts';
import type { RecordConsumer } from '../model/pipeline.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { OwnMetrics } from '../telemetry/own-metrics.ts';
import type { HostOriginCheck } from '../transport/host-origin-check.ts';
import type { ReceiverLimits } from './config.ts';
import type { ExportResult } from './otlp/ingest.ts';
import type { Encoding, Signal } from './otlp/decode.ts';
import type { InflightBytes } from '../transport/inflight-bytes.ts';
import type { TlsEntrance } from '../transport/tls/tls-entrance.ts';

export interface ServicePorts {
  readonly otlpGrpc: number;
  readonly otlpHttp: number;
  readonly readers: number;
}

/** An export request as it came, uncompressed. */
export interface SentOtlp {
  readonly signal: Signal;
  readonly encoding: Encoding;
  readonly body: Buffer;
}

/**
 * Takes a request in place of who decodes it.
 * @param headers what the sender is known by: `authorization` and `x-api-key`, those that it sent
 * @throws BoundaryError that the sender is answered with
 */
export type PassOn = (
  sent: SentOtlp,
  sender: Principal,
  headers: Readonly<Record<string, string>>,
) => Promise<ExportResult>;

/** What both OTLP servers are made with. */
export interface OtlpServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Plain text if absent. */
  readonly tls?: TlsEntrance | undefined;
  readonly limits: ReceiverLimits;
  readonly maxConnections: number;
  readonly maxIdle?: number;
  /** Used by HTTP only: a web page cannot speak gRPC. */
  readonly hostOriginCheck: HostOriginCheck;
  /** Everybody needs the right to send. */
  readonly access: Access;
  /** How much each may send, and whose turn it is. */
  readonly perKey: Limits;
  readonly consumerOf: (principal: Principal) => RecordConsumer;
  /** Nothing is decoded here, and `consumerOf` is not asked. */
  readonly passOn?: PassOn | undefined;
  /** Where the rest is, for people: the ports as they were opened. */
  readonly ports: () => ServicePorts;
  readonly metrics: OwnMetrics;
  readonly logger: Logger;
  /** Shared by all servers of the process. */
  readonly inflight: InflightBytes;
  readonly clock: Clock;
  /** How long work is cut into pieces. */
  readonly pace: Pace;
}
