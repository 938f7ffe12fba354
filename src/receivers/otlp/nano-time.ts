import { epochMs, type EpochMs } from '../../model/time.ts';

/**
 * A time in nanoseconds since the epoch, split so that no digit is lost: whole milliseconds and the rest in
 * nanoseconds. 0 means that the sender did not set it.
 */
export interface NanoTime {
  readonly ms: number;
  /** 0 to 999,999. */
  readonly ns: number;
}

export const UNSET_TIME: NanoTime = { ms: 0, ns: 0 };

const TWO_32 = 4_294_967_296;
const MAX_UINT64 = 18_446_744_073_709_551_615n;

/** 2^32 ns are 4,294 ms and 967,296 ns: so both products stay below 2^53. */
export function nanoTimeFromHalves(hi: number, lo: number): NanoTime {
  if (hi === 0 && lo === 0) return UNSET_TIME;
  const rest = hi * 967_296 + lo;
  const restMs = Math.floor(rest / 1_000_000);
  return { ms: hi * 4_294 + restMs, ns: rest - restMs * 1_000_000 };
}

/** From a JSON number or a decimal string; undefined for what is no unsigned 64-bit integer. */
export function nanoTimeFromJson(value: unknown): NanoTime | undefined {
  let nanos: bigint;
  if (typeof value === 'number' && Number.isInteger(value)) nanos = BigInt(value);
  else if (typeof value === 'string' && /^\d{1,20}$/.test(value)) nanos = BigInt(value);
  else return undefined;
  if (nanos < 0n || nanos > MAX_UINT64) return undefined;
  return nanoTimeFromHalves(Number(nanos >> 32n), Number(nanos & BigInt(TWO_32 - 1)));
}

export function isSet(time: NanoTime): boolean {
  return time.ms !== 0 || time.ns !== 0;
}

export function toEpochMs(time: NanoTime): EpochMs {
  return epochMs(time.ms + time.ns / 1_000_000);
}

/** `end - start` in milliseconds, from the nanoseconds. */
export function durationMs(start: NanoTime, end: NanoTime): number {
  return ((end.ms - start.ms) * 1_000_000 + (end.ns - start.ns)) / 1_000_000;
}

export function isBefore(a: NanoTime, b: NanoTime): boolean {
  return a.ms < b.ms || (a.ms === b.ms && a.ns < b.ns);
}
