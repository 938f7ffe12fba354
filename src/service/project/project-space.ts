import type { Clock } from '../../base/clock.ts';
import type { Pace } from '../../base/pace.ts';
import type { AdaptationsApi } from '../../model/adaptations-api.ts';
import type { RecordConsumer } from '../../model/pipeline.ts';
import { adaptationRoutes } from '../../servers/http/adaptation-routes.ts';
import { agUiRunRoute } from '../../servers/http/ag-ui/run-route.ts';
import type { RunStreams } from '../../servers/http/ag-ui/run-streams.ts';
import { annotationRoutes } from '../../servers/http/annotation-routes.ts';
import { auditRoute, type AuditPages } from '../../servers/http/audit-route.ts';
import type { AnnotationsApi } from '../../servers/annotations-api.ts';
import type { ApprovalsApi, ControlApi } from '../../servers/control-api.ts';
import { controlRoutes } from '../../servers/http/control/control-routes.ts';
import { interruptRoutes } from '../../servers/http/control/interrupt-routes.ts';
import type { InterruptsApi } from '../../servers/http/control/interrupts-api.ts';
import { eraseRoute, type EraseHandler } from '../../servers/http/erase-route.ts';
import type { HttpSpace } from '../../servers/http/http-space.ts';
import { mcpRoute } from '../../servers/http/mcp/mcp-route.ts';
import { readerRoutes } from '../../servers/http/reader-routes.ts';
import { redactionRoute, type RedactionHandler } from '../../servers/http/redaction-route.ts';
import { replayRoute, type ReplayHandler } from '../../servers/http/replay-route.ts';
import type { Route } from '../../servers/http/route.ts';
import { thoughtflowRoutes } from '../../servers/http/thoughtflow/thoughtflow-routes.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { OperatorRecord } from '../operator-record.ts';

/** What is asked for in a project, whether it is a service's own or seen over cells. */
export interface SpaceWays {
  readonly consumer: RecordConsumer;
  readonly clock: Clock;
  /** How long work is cut into pieces. */
  readonly pace: Pace;
  readonly logger: Logger;
  readonly adaptations: AdaptationsApi;
  /** False: MCP offers no tools for them. True if absent. */
  readonly hasAdaptations?: boolean;
  /** Answers who asks to look behind the markers of a node. */
  readonly reveal: RedactionHandler;
  readonly audit: AuditPages;
  /** Puts on record what was done, and who was refused. */
  readonly record: Pick<OperatorRecord, 'pruned' | 'changed' | 'refused'>;
  /** Removes what administrators ask to have removed. */
  readonly erase: EraseHandler;
  /** Plays a task again. */
  readonly replay: ReplayHandler;
  /** Asks agents to stop. */
  readonly interrupts: InterruptsApi;
  /** What agents wait on. */
  readonly control: ControlApi;
  /** What agents ask people to approve. */
  readonly approvals: ApprovalsApi;
  /** What people say of steps. */
  readonly annotations: AnnotationsApi;
}

/** A space, and where records go that are sent to it. */
export interface ServiceSpace extends HttpSpace {
  readonly consumer: RecordConsumer;
}

/** What the routes of a space need of the port that they are at. */
export interface RoutePlace {
  readonly agUiRuns: RunStreams;
  /** Runs of other agents that are passed on. */
  readonly agUiProxied: RunStreams;
  /** Where the service is reached: `http://host:port`. */
  readonly base: () => string;
}

/**
 * A project as those with one level of detail have to do with it, by a route for each thing that can be asked for.
 * @param reader answers them; it may tell less than the project's own
 * @param others routes that are not in every project: what senders send to
 */
export function projectSpace(
  ways: SpaceWays,
  reader: ReaderApi,
  { agUiRuns }: Pick<RoutePlace, 'agUiRuns'>,
  others: readonly Route[],
): ServiceSpace {
  const { consumer, clock, pace, logger, adaptations, hasAdaptations = true, control, annotations } = ways;
  const { pruned, changed, refused } = ways.record;
  return {
    reader,
    pruned,
    control,
    annotations,
    consumer,
    routes: [
      ...readerRoutes(reader, pruned),
      ...adaptationRoutes(adaptations, changed),
      mcpRoute({ reader, adaptations, hasAdaptations, logger, changed, refused }),
      redactionRoute(ways.reveal),
      eraseRoute(ways.erase),
      auditRoute(ways.audit),
      replayRoute(ways.replay),
      ...interruptRoutes(ways.interrupts),
      ...controlRoutes(control, ways.approvals, clock),
      ...annotationRoutes(annotations, reader),
      agUiRunRoute({ reader, clock, pace: pace.of('readers'), runs: agUiRuns }),
      ...thoughtflowRoutes(reader),
      ...others,
    ],
  };
}
