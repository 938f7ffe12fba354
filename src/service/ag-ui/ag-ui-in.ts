import type { Clock } from '../../base/clock.ts';
import type { Turns } from '../../base/pace.ts';
import { spanMaker } from '../../exporters/otlp/graph-spans.ts';
import type { RecordConsumer } from '../../model/pipeline.ts';
import type { TelemetryRecord } from '../../model/records.ts';
import { AgUiReceiver } from '../../receivers/ag-ui/ag-ui-receiver.ts';
import { tellAsked } from '../../receivers/ag-ui/asked-input.ts';
import type { StepOf } from '../../receivers/ag-ui/recalled.ts';
import type { SourcesOf } from '../../receivers/ag-ui/runs-of-body.ts';
import type { ToldTask } from '../../receivers/ag-ui/told-task.ts';
import { HeldEncrypted } from '../../receivers/ag-ui/held-encrypted.ts';
import { StreamTap } from '../../receivers/ag-ui/stream-tap.ts';
import type { RunStreams } from '../../servers/http/ag-ui/run-streams.ts';
import { agUiProxyRoute, type ProxiedRun } from '../../servers/http/ag-ui/proxy-route.ts';
import { ingestRoute, type IngestKind } from '../../servers/http/ingest-route.ts';
import type { Route } from '../../servers/http/route.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { OwnMetrics } from '../../telemetry/own-metrics.ts';
import { PassedRuns } from '../interrupts/ag-ui-target.ts';

export interface AgUiInOptions {
  readonly consumer: RecordConsumer;
  readonly clock: Clock;
  readonly metrics: OwnMetrics;
  readonly logger: Logger;
  readonly pace: Turns;
  /** URLs that may be run. */
  readonly agents: readonly string[];
  readonly forwardEncrypted: boolean;
  readonly sourcesOf: SourcesOf;
  readonly stepOf: StepOf;
}

/** Long bodies take turns by their runs, and wait for the rate of events. */
const EVENTS: IngestKind = {
  path: '/ag-ui/events',
  query: ['taskId', 'agent', 'runId'],
  counts: 'spans',
  isNotInTurn: true,
};

/** As a second service is told a graph by OTLP. */
function spansOfTask({ graph, details }: ToldTask): readonly TelemetryRecord[] {
  return details.map(spanMaker(graph));
}

/** The ways in for AG-UI. */
export class AgUiIn {
  private readonly options: AgUiInOptions;
  private readonly receiver: AgUiReceiver;
  private readonly held: HeldEncrypted | undefined;
  /** Those that are passed on at this moment. */
  readonly passed = new PassedRuns();

  constructor(options: AgUiInOptions) {
    this.options = options;
    this.held = options.forwardEncrypted ? new HeldEncrypted() : undefined;
    this.receiver = new AgUiReceiver({ ...options, held: this.held, retell: spansOfTask });
  }

  /** @param runs those that are passed on */
  routes(runs: RunStreams): readonly Route[] {
    const { receiver, held } = this;
    return [
      ingestRoute(EVENTS, ({ body, contentType, query }) =>
        receiver.receive({
          body,
          contentType,
          taskId: query.get('taskId') ?? undefined,
          agent: query.get('agent') ?? undefined,
          runId: query.get('runId') ?? undefined,
        }),
      ),
      agUiProxyRoute({
        agents: this.options.agents,
        runs,
        input: (url, body) => held?.fill(url, body) ?? body,
        tap: (run) => this.tap(run),
        begun: ({ taskId, runId, agent }, who, abort) =>
          this.passed.begin({ who, taskId: taskId ?? runId, runId, agent, abort }),
      }),
    ];
  }

  private tap({ url, given, ...named }: ProxiedRun): StreamTap {
    const withAsked = tellAsked(given);
    return new StreamTap({
      take: async (frames) => {
        const body = withAsked(frames);
        const post = { ...named, body, contentType: 'text/event-stream', heldFor: url };
        const { rejected, errors } = (await this.receiver.receive(post)).body;
        if (rejected > 0)
          this.options.logger.warn(
            { rejected, first: errors[0]?.message },
            'events of AG-UI were passed on and refused for what is wrong with them',
          );
      },
      onLost: (bytes, error) => this.lost(bytes, error),
    });
  }

  /** Nothing is held any more of tasks that are erased. */
  forget(tasks: readonly string[]): void {
    this.receiver.forget(new Set(tasks));
  }

  private lost(bytes: number, error: unknown): void {
    const { metrics, logger } = this.options;
    metrics.recordsRejected('ag-ui', 'passed-on', 1);
    logger.warn(
      { bytes, err: error instanceof Error ? error.message : 'too much at once' },
      'events of AG-UI were passed on and not taken in',
    );
  }
}
