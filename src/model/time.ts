/**
 * Milliseconds since the Unix epoch, with a fraction. A double holds today's dates to about 0.25 µs, which is
 * finer than any clock that stamps agent telemetry; OTLP's nanoseconds are rounded to it once, on entry.
 */
export type EpochMs = number & { readonly __brand: 'EpochMs' };

export function epochMs(value: number): EpochMs {
  return value as EpochMs;
}

/** The largest time that `Date` can format, hence that a node can show. */
export const MAX_EPOCH_MS = 8.64e15;

let lastMs = NaN;
let lastIso = '';

/** ISO 8601 in UTC with milliseconds, as the spec's `timestamp` fields want it. */
export function toIso(time: EpochMs): string {
  const ms = Math.min(Math.max(Math.floor(time), -MAX_EPOCH_MS), MAX_EPOCH_MS);
  // Formatting is slow, and neighbours in a trace often share their millisecond.
  if (ms !== lastMs) {
    lastIso = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastIso;
}

/** Reads ISO 8601 or epoch milliseconds; undefined for anything else. */
export function parseTime(value: unknown): EpochMs | undefined {
  if (typeof value === 'number') {
    return Number.isFinite(value) && Math.abs(value) <= MAX_EPOCH_MS ? epochMs(value) : undefined;
  }
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}/.test(value)) return undefined;
  const parsed = Date.parse(value);
  return Number.isNaN(parsed) ? undefined : epochMs(parsed);
}
