import { DEFAULT_RECEIVER_LIMITS, type ReceiverLimits } from './config.ts';
import { createAccess } from '../access/access.ts';
import { unlimited } from '../access/limits.ts';
import { systemClock } from '../base/clock.ts';
import { Pace } from '../base/pace.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { noMetrics, type OwnMetrics } from '../telemetry/own-metrics.ts';
import { createHostOriginCheck } from '../transport/host-origin-check.ts';
import { InflightBytes } from '../transport/inflight-bytes.ts';
import { RecordingConsumer } from './otlp/otlp.test-support.ts';
import type { OtlpServerOptions } from './otlp-server-options.ts';

export class CountingMetrics {
  readonly accepted = new Map<string, number>();
  readonly rejected = new Map<string, number>();
  readonly sink: OwnMetrics = {
    ...noMetrics,
    recordsAccepted: (signal, n) => this.accepted.set(signal, (this.accepted.get(signal) ?? 0) + n),
    recordsRejected: (signal, reason, n) => {
      const key = `${signal}/${reason}`;
      this.rejected.set(key, (this.rejected.get(key) ?? 0) + n);
    },
  };
}

export interface TestSetup {
  readonly consumer: RecordingConsumer;
  readonly counts: CountingMetrics;
  readonly inflight: InflightBytes;
  readonly options: OtlpServerOptions;
}

export function setup(
  limits: Partial<ReceiverLimits> = {},
  more: Partial<OtlpServerOptions> = {},
): TestSetup {
  const consumer = new RecordingConsumer();
  const counts = new CountingMetrics();
  const inflight = more.inflight ?? new InflightBytes(160 * 1024 * 1024);
  const options: OtlpServerOptions = {
    host: '127.0.0.1',
    port: 0,
    maxConnections: 1_000,
    ports: () => ({ otlpGrpc: 1, otlpHttp: 2, readers: 3 }),
    hostOriginCheck: createHostOriginCheck({ host: '127.0.0.1' }),
    limits: { ...DEFAULT_RECEIVER_LIMITS, ...limits },
    access: createAccess('none'),
    perKey: unlimited(),
    consumerOf: () => consumer,
    metrics: counts.sink,
    logger: silentLogger,
    clock: systemClock,
    pace: new Pace(systemClock),
    ...more,
    inflight,
  };
  return { consumer, counts, inflight, options };
}

/** Waits until `holds`, so long that only what is broken is given up. */
export async function eventually(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 1500 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 10));
}
