import type { Principal } from '../../access/principal.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { Pace } from '../../base/pace.ts';
import { eraseAtCells } from '../../gateway/acts/erase-at-cells.ts';
import { InterruptAtCells } from '../../gateway/acts/interrupt-at-cells.ts';
import { withId, type CellActs } from '../../gateway/acts/cell-acts.ts';
import type { AnnotationState } from '../../model/annotation.ts';
import type { ReplayStarted } from '../../model/replay.ts';
import type { AnnotationsApi } from '../../servers/annotations-api.ts';
import { splitRoute } from '../../servers/http/split-route.ts';
import type { SplitReport } from '../../model/told-cells.ts';
import type { RedactionHandler } from '../../servers/http/redaction-route.ts';
import type { ReplayHandler } from '../../servers/http/replay-route.ts';
import type { Route } from '../../servers/http/route.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { AccessRecord } from '../access-record.ts';
import type { OperatorRecord } from '../operator-record.ts';
import {
  projectSpace,
  type RoutePlace,
  type ServiceSpace,
  type SpaceWays,
} from '../project/project-space.ts';
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
  place: Pick<RoutePlace, 'agUiRuns'>,
): ServiceSpace {
  const { accesses, redact, split, sending, cells, ...rest } = ways;
  const { acts, approvals, control } = cells;
  const notLetIn =
    (node: (params: Readonly<Record<string, string>>) => string): RedactionHandler['refused'] =>
    (refusal) =>
      accesses.refused({
        action: 'refused',
        node: node(refusal.params),
        why: refusal.error.code,
        ...accesses.askerOf(refusal),
      });
  const atCells: SpaceWays = {
    ...rest,
    consumer: {
      consume: () => Promise.reject(new BoundaryError('INTERNAL', 'a gateway passes on what is sent')),
    },
    adaptations: NO_ADAPTATIONS,
    hasAdaptations: false,
    reveal: {
      handle: async ({ nodeId, principal: by, body }) =>
        acts.atNode(nodeId, {
          method: 'POST',
          path: `/api/nodes/${encodeURIComponent(nodeId)}/redaction`,
          by,
          body: await body(),
        }),
      refused: notLetIn(({ id = '' }) => redact(id.slice(0, MAX_ID_CHARS))),
    },
    audit: accesses,
    erase: {
      handle: ({ principal, taskId, userId }) =>
        eraseAtCells(acts, taskId === undefined ? { userId: userId ?? '' } : { taskId }, principal),
      refused: notLetIn(() => 'erase'),
    },
    replay: replayAt(acts),
    interrupts: new InterruptAtCells(acts),
    control,
    approvals,
    annotations: annotationsAt(acts),
  };
  return projectSpace(atCells, reader, place, [splitRoute(split), ...sending]);
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
