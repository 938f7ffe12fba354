import { spanKey } from '../model/ids.ts';
import { causesOf } from './build-edges.ts';
import { isShown, type CorrelationState } from './correlation-state.ts';
import type { NodeEntry } from './node-entry.ts';

/** Nothing is above it: no span that is there is its parent, nor holds its thought, and nothing caused its event. */
export function isRoot(entry: NodeEntry, state: CorrelationState): boolean {
  if (!isShown(entry)) return false;
  if (entry.event) return causesOf(entry, state).length === 0;
  const isAbove = (key: string): boolean => {
    const above = state.entryOfRecord(key);
    return above !== undefined && above !== entry;
  };
  if (entry.steps.some(({ parentKey }) => parentKey !== undefined && isAbove(parentKey))) return false;
  for (const { traceId, spanId } of entry.request?.parts.values() ?? [])
    if (traceId !== undefined && spanId !== undefined && isAbove(spanKey(traceId, spanId))) return false;
  return true;
}
