import { compareText } from './compare-text.ts';

/**
 * Milliseconds since the Unix epoch, with a fraction. A double holds today's dates to about 0.25 µs, which is
 * finer than any clock that stamps agent telemetry; OTLP's nanoseconds are rounded to it once, on entry.
 */
export type EpochMs = number & { readonly __brand: 'EpochMs' };

export function epochMs(value: number): EpochMs {
  return value as EpochMs;
}

/** The years 0 to 9999: as text they are in order, and can be read back. */
const MIN_EPOCH_MS = Date.parse('0000-01-01T00:00:00.000Z');
export const MAX_EPOCH_MS = Date.parse('9999-12-31T23:59:59.999Z');

let lastMs = NaN;
let lastIso = '';

/** ISO 8601 in UTC with milliseconds. */
export function toIso(time: EpochMs): string {
  const ms = Math.min(Math.max(Math.floor(time), MIN_EPOCH_MS), MAX_EPOCH_MS);
  // Formatting is slow, and neighbours in a trace often share their millisecond.
  if (ms !== lastMs) {
    lastIso = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastIso;
}

/** The start of a node: with microseconds where it is no whole millisecond, so that what follows within one keeps its order. */
export function toFineIso(time: EpochMs): string {
  const ms = Math.floor(time);
  const us = Math.round((time - ms) * 1000);
  // A fraction that rounds up to a whole millisecond.
  if (us === 1000) return toIso(epochMs(ms + 1));
  const iso = toIso(time);
  return us > 0 && isTime(time) ? `${iso.slice(0, -1)}${String(us).padStart(3, '0')}Z` : iso;
}

/** By time, of what `toIso` and `toFineIso` made. */
export function compareIso(a: string, b: string): number {
  return a.length === b.length ? compareText(a, b) : compareText(a.slice(0, -1), b.slice(0, -1));
}

/** ISO 8601 with a fraction that is finer than milliseconds, which `Date.parse` cuts. */
const FINE = /^.{19}\.\d{3}(\d+)/;

/** Reads ISO 8601 or epoch milliseconds, of the years 0 to 9999; undefined for anything else. */
export function parseTime(value: unknown): EpochMs | undefined {
  if (typeof value === 'number') return isTime(value) ? epochMs(value) : undefined;
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}/.test(value)) return undefined;
  const parsed = Date.parse(value);
  if (Number.isNaN(parsed)) return undefined;
  const finer = value.length > 23 ? FINE.exec(value)?.[1] : undefined;
  return epochMs(finer === undefined ? parsed : parsed + Number(`0.${finer}`));
}

function isTime(ms: number): boolean {
  return ms >= MIN_EPOCH_MS && ms < MAX_EPOCH_MS + 1;
}
