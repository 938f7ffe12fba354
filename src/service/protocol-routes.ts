import type { Clock } from '../base/clock.ts';
import type { RecordConsumer } from '../model/pipeline.ts';
import { receiveCot, receiveEvents } from '../receivers/events/receive.ts';
import { ingestRoute } from '../servers/http/ingest-route.ts';
import type { Route } from '../servers/http/route.ts';
import type { OwnMetrics } from '../telemetry/own-metrics.ts';

export interface ProtocolRoutesOptions {
  readonly consumer: RecordConsumer;
  readonly clock: Clock;
  readonly metrics: OwnMetrics;
}

/** What agents send to, and are answered from, in protocols other than OTLP: one line a path of the readers' port. */
export function protocolRoutes({ consumer, clock, metrics }: ProtocolRoutesOptions): readonly Route[] {
  return [
    ingestRoute('/api/cot', [], ({ body, contentType }) =>
      receiveCot(body, contentType, consumer, clock.monotonic(), metrics),
    ),
    ingestRoute('/api/events', [], ({ body, contentType }) =>
      receiveEvents(body, contentType, consumer, clock.monotonic(), metrics),
    ),
  ];
}
