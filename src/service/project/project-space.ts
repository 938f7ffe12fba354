import type { AdaptationsApi } from '../../model/adaptations-api.ts';
import type { RecordConsumer } from '../../model/pipeline.ts';
import { adaptationRoutes } from '../../servers/http/adaptation-routes.ts';
import { auditRoute, type AuditPages } from '../../servers/http/audit-route.ts';
import type { AnnotationsApi } from '../../servers/annotations-api.ts';
import type { ApprovalsApi, ControlApi } from '../../servers/control-api.ts';
import { annotationRoutes } from '../../servers/http/annotation-routes.ts';
import { controlRoutes } from '../../servers/http/control/control-routes.ts';
import { interruptRoutes } from '../../servers/http/control/interrupt-routes.ts';
import type { InterruptsApi } from '../../servers/http/control/interrupts-api.ts';
import { eraseRoute, type EraseHandler } from '../../servers/http/erase-route.ts';
import type { HttpSpace } from '../../servers/http/http-space.ts';
import { mcpRoute } from '../../servers/http/mcp/mcp-route.ts';
import { readerRoutes } from '../../servers/http/reader-routes.ts';
import { redactionRoute, type RedactionHandler } from '../../servers/http/redaction-route.ts';
import { replayRoute, type ReplayHandler } from '../../servers/http/replay-route.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { OperatorRecord } from '../operator-record.ts';
import { protocolRoutes, type ProtocolRoutesOptions } from '../protocol-routes.ts';

/** What a project is asked and sent by those who have to do with it. */
export interface ProjectWays extends Pick<
  ProtocolRoutesOptions,
  'consumer' | 'clock' | 'pace' | 'metrics' | 'agUi' | 'mew' | 'openFlows'
> {
  /** With all texts. */
  readonly reader: ReaderApi;
  readonly adaptations: AdaptationsApi;
  readonly logger: Logger;
  /** Answers who asks to look behind the markers of a node. */
  readonly reveal: RedactionHandler;
  readonly audit: AuditPages;
  /** Puts on record what was done, and who was refused. */
  readonly record: OperatorRecord;
  /** Removes what administrators ask to have removed. */
  readonly erase: EraseHandler;
  /** Told of the nodes of sessions of ThoughtFlow that are over. @param base where the service is reached */
  readonly sessionsEnded: (nodeIds: readonly string[], base: string) => void;
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
export interface RoutePlace extends Pick<ProtocolRoutesOptions, 'agUiRuns' | 'agUiProxied'> {
  /** Where the service is reached: `http://host:port`. */
  readonly base: () => string;
}

/**
 * A project as those with one level of detail have to do with it.
 * @param reader answers them; it may tell less than the project's own
 */
export function projectSpace(
  ways: ProjectWays,
  reader: ReaderApi,
  { base, ...runs }: RoutePlace,
): ServiceSpace {
  const { consumer, adaptations, logger, record, control, clock } = ways;
  const { pruned, changed, refused } = record;
  return {
    reader,
    pruned,
    control,
    annotations: ways.annotations,
    consumer,
    routes: [
      ...readerRoutes(reader, pruned),
      ...adaptationRoutes(adaptations, changed),
      mcpRoute({ reader, adaptations, logger, changed, refused }),
      redactionRoute(ways.reveal),
      eraseRoute(ways.erase),
      auditRoute(ways.audit),
      replayRoute(ways.replay),
      ...interruptRoutes(ways.interrupts),
      ...controlRoutes(control, ways.approvals, clock),
      ...annotationRoutes(ways.annotations, reader),
      ...protocolRoutes({
        ...ways,
        ...runs,
        reader,
        known: ways.reader,
        sessionsEnded: (nodeIds) => ways.sessionsEnded(nodeIds, base()),
      }),
    ],
  };
}
