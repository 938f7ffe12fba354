import type { Clock } from '../base/clock.ts';
import type { Pace } from '../base/pace.ts';
import type { RecordConsumer } from '../model/pipeline.ts';
import { receive } from '../receivers/events/receive.ts';
import type { OpenSessions } from '../receivers/thoughtflow/open-sessions.ts';
import type { RunStreams } from '../servers/http/ag-ui/run-streams.ts';
import { ingestRoute } from '../servers/http/ingest-route.ts';
import type { Route } from '../servers/http/route.ts';
import type { ReaderApi } from '../subscriptions/reader-api.ts';
import type { OwnMetrics } from '../telemetry/own-metrics.ts';
import type { AgUiIn } from './ag-ui/ag-ui-in.ts';
import type { MewIn } from './mew/mew-in.ts';
import { thoughtflowIngest } from './thoughtflow/thoughtflow-ingest.ts';

export interface ProtocolRoutesOptions {
  readonly consumer: RecordConsumer;
  /** What a sender's steps are completed from; it tells the sender nothing. */
  readonly known: ReaderApi;
  readonly clock: Clock;
  readonly metrics: OwnMetrics;
  /** How long work is cut into pieces. */
  readonly pace: Pace;
  readonly agUi: AgUiIn;
  readonly mew: MewIn;
  /** Runs of other agents that are passed on. */
  readonly agUiProxied: RunStreams;
  readonly openFlows: OpenSessions;
  /** Told of the nodes of sessions of ThoughtFlow that are over. */
  readonly sessionsEnded: (nodeIds: readonly string[]) => void;
}

/** What agents send to in protocols other than OTLP: one line a path of the readers' port. */
export function protocolRoutes({
  consumer,
  known,
  clock,
  metrics,
  pace,
  agUi,
  mew,
  agUiProxied,
  openFlows,
  sessionsEnded,
}: ProtocolRoutesOptions): readonly Route[] {
  return [
    ingestRoute({ path: '/api/cot', query: [], counts: 'thoughts' }, ({ body, contentType }) =>
      receive('cot', { body, contentType, consumer, receivedAt: clock.monotonic(), pace, metrics }),
    ),
    ingestRoute({ path: '/api/events', query: [], counts: 'spans' }, ({ body, contentType }) =>
      receive('event', { body, contentType, consumer, receivedAt: clock.monotonic(), pace, metrics }),
    ),
    ...agUi.routes(agUiProxied),
    thoughtflowIngest({
      open: openFlows,
      consumer,
      clock,
      metrics,
      pace,
      reader: known,
      onEnded: sessionsEnded,
    }),
    mew.route,
  ];
}
