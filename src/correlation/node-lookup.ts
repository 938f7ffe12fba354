import type { NodeLookup } from './build-edges.ts';
import type { CorrelationState } from './correlation-state.ts';

/** How edges find the nodes at their other end, in the state as it is when they ask. */
export function nodeLookup(state: CorrelationState): NodeLookup {
  const { groups, toolCalls, content, handoffs, siblings } = state.indexes;
  return {
    nodeOfSpan: (key) => state.spans.get(key)?.nodeId ?? state.logs.get(key)?.nodeId,
    spanById: (spanId) => state.spanById(spanId),
    stepById: (stepId) => groups.stepById(stepId),
    has: (nodeId) => state.nodes.get(nodeId)?.inGraph === true,
    toolCalls,
    content,
    handoffs,
    siblings,
  };
}
