import type { ExplanationNode } from '../model/node.ts';
import type { FoldLimits } from './fold.ts';

/** Nothing happened in it that somebody would look for. */
export function isQuiet(node: ExplanationNode): boolean {
  return node.status === 'OK' && node.state === 'ENDED' && !isNotable(node);
}

/** It says by itself why a run went as it did. */
export function isNotable({ type, details }: ExplanationNode): boolean {
  return (
    type === 'MODEL_SWITCH' ||
    type === 'REFLEXION_ACTION' ||
    type === 'USER_QUERY' ||
    details?.['annotations'] !== undefined
  );
}

export function isRoutine(
  node: ExplanationNode,
  limits: Pick<FoldLimits, 'pruneLatencyThresholdMs' | 'minCostUsdDetail'>,
): boolean {
  const fast = node.latencyMs !== undefined && node.latencyMs < limits.pruneLatencyThresholdMs;
  const cheap = node.costUsd === undefined || node.costUsd < limits.minCostUsdDetail;
  return fast && cheap;
}

/** The how many-th step of its thought it is; 0 for what is none. */
export function thoughtPlace({ details }: ExplanationNode): number {
  const step = details?.['step'];
  return typeof step === 'number' ? step : 0;
}
