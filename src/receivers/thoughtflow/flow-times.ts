import type { JsonObject } from '../../base/json.ts';
import { epochMs, parseTime, type EpochMs } from '../../model/time.ts';

/** What an item says of its time; all of it may be missing. */
export interface FlowTimes {
  readonly start: EpochMs | undefined;
  readonly end: EpochMs | undefined;
  readonly durationMs: number | undefined;
}

/** `started_at`, `ended_at`, `duration_ms`: one that is missing follows from the other two. */
export function timesOf(item: JsonObject): FlowTimes {
  const said = item['duration_ms'];
  const durationSaid = typeof said === 'number' && Number.isFinite(said) && said >= 0 ? said : undefined;
  const startSaid = parseTime(item['started_at']);
  const endSaid = parseTime(item['ended_at']);
  const start =
    startSaid ??
    (endSaid === undefined || durationSaid === undefined ? undefined : parseTime(endSaid - durationSaid));
  const end =
    endSaid ??
    (start === undefined || durationSaid === undefined ? undefined : parseTime(start + durationSaid));
  const between = start === undefined || end === undefined ? undefined : Math.max(0, end - start);
  return { start, end, durationMs: durationSaid ?? between };
}

/** Where nothing of a session has a time. */
export const NO_TIME: EpochMs = epochMs(0);
