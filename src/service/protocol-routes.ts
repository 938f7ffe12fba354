import type { Clock } from '../base/clock.ts';
import type { Turns } from '../base/pace.ts';
import type { RecordConsumer } from '../model/pipeline.ts';
import { AgUiReceiver } from '../receivers/ag-ui/ag-ui-receiver.ts';
import { receiveCot, receiveEvents } from '../receivers/events/receive.ts';
import { ingestRoute } from '../servers/http/ingest-route.ts';
import type { Route } from '../servers/http/route.ts';
import type { OwnMetrics } from '../telemetry/own-metrics.ts';

export interface ProtocolRoutesOptions {
  readonly consumer: RecordConsumer;
  readonly clock: Clock;
  readonly metrics: OwnMetrics;
  /** How long work is cut into pieces. */
  readonly pace: Turns;
}

/** What agents send to, and are answered from, in protocols other than OTLP: one line a path of the readers' port. */
export function protocolRoutes({ consumer, clock, metrics, pace }: ProtocolRoutesOptions): readonly Route[] {
  const agUi = new AgUiReceiver({ consumer, clock, metrics, pace });
  return [
    ingestRoute('/api/cot', [], ({ body, contentType }) =>
      receiveCot(body, contentType, consumer, clock.monotonic(), metrics),
    ),
    ingestRoute('/api/events', [], ({ body, contentType }) =>
      receiveEvents(body, contentType, consumer, clock.monotonic(), metrics),
    ),
    ingestRoute('/ag-ui/events', ['taskId', 'agent'], ({ body, contentType, query }) =>
      agUi.receive({
        body,
        contentType,
        taskId: query.get('taskId') ?? undefined,
        agent: query.get('agent') ?? undefined,
      }),
    ),
  ];
}
