import { BoundaryError } from '../../base/boundary-error.ts';
import type { Opening } from '../../model/subscription-request.ts';
import type { ViewChanges } from '../../subscriptions/view-changes.ts';
import type { ViewSpec } from '../../subscriptions/view-spec.ts';
import type { MergedView } from './merged-view.ts';

/** So many of what a reader opens and closes are gone over again at the cells; a cell takes as many. */
const MAX_OPENED = 1000;

/**
 * What a reader opens and closes is noted in order, and done by the cells: only they know what is folded there.
 * @param viewOf the view of a spec that has readers
 */
export function cellViewChanges(
  viewOf: (spec: ViewSpec) => MergedView | undefined,
  mayHaveTask: (taskId: string) => Promise<boolean>,
): ViewChanges {
  return {
    expanded(spec, nodeId) {
      if (viewOf(spec)?.node(nodeId)?.type !== 'SUMMARY')
        throw new BoundaryError(
          'NOT_FOUND',
          'nodeId: no summary with this id is shown; it may have changed since',
        );
      return opened(spec, { type: 'expand', nodeId });
    },
    collapsed(spec, nodeId) {
      const isOpen = spec.opened?.some((opening) => opening.type === 'expand' && opening.nodeId === nodeId);
      if (isOpen !== true && !viewOf(spec)?.node(nodeId))
        throw new BoundaryError('NOT_FOUND', 'nodeId: neither a summary nor a node that is in one');
      return opened(spec, { type: 'collapse', nodeId });
    },
    taskExpanded: (spec, taskId) => opened(spec, { type: 'expandTask', taskId }),
    opened,
    mayHaveTask,
    taskOf: () => undefined,
  };
}

/** Of two equal ones the last alone has the same effect. */
function opened(spec: ViewSpec, opening: Opening): ViewSpec {
  const key = JSON.stringify(opening);
  const others = (spec.opened ?? []).filter((earlier) => JSON.stringify(earlier) !== key);
  return { ...spec, opened: [...others, opening].slice(-MAX_OPENED) };
}
