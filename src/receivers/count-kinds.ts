import type { TelemetryRecord } from '../model/records.ts';

/** How many records of each kind; the kinds are the signal names of the service's own metrics. */
export function countByKind(records: readonly TelemetryRecord[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { kind } of records) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}
