import type { Principal } from '../../access/principal.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { Pace } from '../../base/pace.ts';
import { eraseAtCells } from '../../gateway/acts/erase-at-cells.ts';
import { InterruptAtCells } from '../../gateway/acts/interrupt-at-cells.ts';
import { withId, type CellActs } from '../../gateway/acts/cell-acts.ts';
import type { AnnotationState } from '../../model/annotation.ts';
import type { ReplayStarted } from '../../model/replay.ts';
import { adaptationRoutes } from '../../servers/http/adaptation-routes.ts';
import { agUiRunRoute } from '../../servers/http/ag-ui/run-route.ts';
import { annotationRoutes } from '../../servers/http/annotation-routes.ts';
import type { AnnotationsApi } from '../../servers/annotations-api.ts';
import { auditRoute } from '../../servers/http/audit-route.ts';
import { controlRoutes } from '../../servers/http/control/control-routes.ts';
import { interruptRoutes } from '../../servers/http/control/interrupt-routes.ts';
import { eraseRoute } from '../../servers/http/erase-route.ts';
import { mcpRoute } from '../../servers/http/mcp/mcp-route.ts';
import { splitRoute } from '../../servers/http/cells-routes.ts';
import type { SplitReport } from '../../model/told-cells.ts';
import { readerRoutes } from '../../servers/http/reader-routes.ts';
import { redactionRoute, type RedactionHandler } from '../../servers/http/redaction-route.ts';
import { replayRoute, type ReplayHandler } from '../../servers/http/replay-route.ts';
import type { Route } from '../../servers/http/route.ts';
import { thoughtflowRoutes } from '../../servers/http/thoughtflow/thoughtflow-routes.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { AccessRecord } from '../access-record.ts';
import type { OperatorRecord } from '../operator-record.ts';
import type { RoutePlace, ServiceSpace } from '../project/project-space.ts';
import type { CellWays } from './cell-ways.ts';
import { NO_ADAPTATIONS } from './no-adaptations.ts';

export interface GatewayWays {
  readonly record: OperatorRecord;
  readonly split: () => Promise<SplitReport>;
  /** Of who was refused here; what was done is on the record of the cell that did it, by the name of who asked. */
  readonly accesses: AccessRecord;
  readonly redact: (text: string) => string;
  /** What senders send to. */
  readonly sending: readonly Route[];
  /** How what is asked for is done at the cells. */
  readonly cells: Pick<CellWays, 'acts' | 'approvals' | 'control'>;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly logger: Logger;
}

/** Of what a stranger may have written into a path. */
const MAX_ID_CHARS = 200;

/** A project over all cells, as those with one level of detail have to do with it. @param reader answers them */
export function gatewaySpace(
  reader: ReaderApi,
  ways: GatewayWays,
  { agUiRuns }: Pick<RoutePlace, 'agUiRuns'>,
): ServiceSpace {
  const { record, accesses, redact, split, sending, cells, clock, pace, logger } = ways;
  const { acts, approvals, control } = cells;
  const { pruned, refused } = record;
  const annotations = annotationsAt(acts);
  const notLetIn =
    (node: (params: Readonly<Record<string, string>>) => string): RedactionHandler['refused'] =>
    (refusal) =>
      accesses.refused({
        action: 'refused',
        node: node(refusal.params),
        why: refusal.error.code,
        ...accesses.askerOf(refusal),
      });
  return {
    reader,
    pruned,
    control,
    annotations,
    consumer: {
      consume: () => Promise.reject(new BoundaryError('INTERNAL', 'a gateway passes on what is sent')),
    },
    routes: [
      ...readerRoutes(reader, pruned),
      ...adaptationRoutes(NO_ADAPTATIONS),
      mcpRoute({ reader, adaptations: NO_ADAPTATIONS, hasAdaptations: false, logger, refused }),
      redactionRoute({
        handle: async ({ nodeId, principal: by, body }) =>
          acts.atNode(nodeId, {
            method: 'POST',
            path: `/api/nodes/${encodeURIComponent(nodeId)}/redaction`,
            by,
            body: await body(),
          }),
        refused: notLetIn(({ id = '' }) => redact(id.slice(0, MAX_ID_CHARS))),
      }),
      eraseRoute({
        handle: ({ principal, taskId, userId }) =>
          eraseAtCells(acts, taskId === undefined ? { userId: userId ?? '' } : { taskId }, principal),
        refused: notLetIn(() => 'erase'),
      }),
      auditRoute(accesses),
      splitRoute(split),
      replayRoute(replayAt(acts)),
      ...interruptRoutes(new InterruptAtCells(acts)),
      ...controlRoutes(control, approvals, clock),
      ...annotationRoutes(annotations, reader),
      agUiRunRoute({ reader, clock, pace: pace.of('readers'), runs: agUiRuns }),
      ...thoughtflowRoutes(reader),
      ...sending,
    ],
  };
}

function annotationsAt(acts: CellActs): AnnotationsApi {
  return {
    async annotate(nodeId: string, given, by: Principal) {
      const path = `/api/nodes/${encodeURIComponent(nodeId)}/annotations`;
      const state = await acts.atNode(nodeId, { method: 'POST', path, by, body: withId(given) });
      return state as AnnotationState;
    },
  };
}

function replayAt(acts: CellActs): ReplayHandler {
  return async (request, by) => {
    const { taskId } = request;
    if (typeof taskId !== 'string' || taskId === '')
      throw new BoundaryError('INVALID_ARGUMENT', 'taskId must be the id of a task');
    const started = await acts.atTask(taskId, { method: 'POST', path: '/api/replay', by, body: request });
    return started as ReplayStarted;
  };
}
